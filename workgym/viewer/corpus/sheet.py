"""The sheet that a corpus's report is printed on: one file, light and dark, for the screen and for paper."""

SHEET = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{{title}}</title>
<style>
:root{--paper:#f6f6f3;--card:#fff;--ink:#1c2530;--soft:#5f6b78;--faint:#8a95a1;--line:#dfe3e7;--track:#e9ecef;
--one:#3b62b5;--onebg:#dfe7f6;--two:#8a6d1d;--twobg:#f3e9cf;--three:#1f6b54;--threebg:#d9ede5;--bad:#9c2f1c;
--badbg:#f8e3de;--mark:#b4472f}
@media (prefers-color-scheme:dark){:root{--paper:#12161b;--card:#1a2027;--ink:#e7ebef;--soft:#9fabb7;--faint:#7b8794;
--line:#2e3740;--track:#2a323b;--one:#93b0f0;--onebg:#25345a;--two:#dcbf74;--twobg:#463a1c;--three:#7fd1b3;
--threebg:#173f33;--bad:#f0a08f;--badbg:#43231d;--mark:#f08c73}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;
font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
main{max-width:1120px;margin:0 auto;padding:0 32px 56px}
header{padding:52px 0 8px}h1{font-size:34px;line-height:1.15;margin:6px 0 12px;letter-spacing:-.02em;font-weight:680}
.lead{max-width:68ch;color:var(--soft);margin:0;font-size:16px}
.eyebrow{font-size:11.5px;letter-spacing:.11em;text-transform:uppercase;color:var(--faint);margin:0;font-weight:600}
section{margin-top:52px}h2{font-size:21px;margin:0 0 4px;letter-spacing:-.012em;font-weight:650}
h3{font-size:14px;margin:26px 0 8px;font-weight:650}
section>p{max-width:76ch}.soft,.note{color:var(--soft)}.note{font-size:13px;margin:10px 0 0;max-width:86ch}
nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:22px;font-size:13.5px}
a{color:var(--one);text-decoration:none}a:hover{text-decoration:underline}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:12px;margin-top:30px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:15px 16px 13px}
.tile b{display:block;font-size:26px;line-height:1.15;letter-spacing:-.02em;font-weight:650}
.tile.words b{font-size:17px;line-height:1.75}
.tile span{display:block;color:var(--soft);font-size:12.5px;line-height:1.4;margin-top:5px}
.box{background:var(--card);border:1px solid var(--line);border-radius:10px;overflow-x:auto;margin-top:14px}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th{font-weight:600;text-align:left;color:var(--soft);font-size:12px;vertical-align:bottom}
th,td{padding:9px 14px;border-bottom:1px solid var(--line);vertical-align:top}tbody tr:last-child>*{border-bottom:0}
tbody th{color:var(--ink);font-size:13.5px;font-weight:550}
.num{text-align:right;white-space:nowrap}td.num+td:not(.num){padding-left:24px}
tr.total>*{border-top:2px solid var(--line)}tr.total th{font-weight:680}
tr.base>*{background:color-mix(in srgb,var(--track) 45%,transparent);font-size:12.5px;color:var(--soft)}
tr.base th{font-weight:500;color:var(--soft)}
.rates{table-layout:fixed;min-width:820px}.rates th:first-child{width:21%}
.rate b{font-size:16px;font-weight:640;letter-spacing:-.01em}
.rate span{color:var(--soft);font-size:12px;margin-left:7px}
.rate em{display:block;font-style:normal;font-size:12px;color:var(--soft);line-height:1.45}
.rate .pub::before{content:"";display:inline-block;width:2px;height:10px;background:var(--mark);margin-right:6px;
vertical-align:-1px}
.bar{position:relative;height:8px;border-radius:4px;background:var(--track);margin:6px 0 5px}
.bar i,.bar u,.bar s{position:absolute;top:0;bottom:0;border-radius:4px}
.bar i{background:var(--one);opacity:.34}.c2 .bar i{background:var(--two)}.c3 .bar i{background:var(--three)}
.bar u{width:8px;margin-left:-4px;background:var(--one)}.c2 .bar u{background:var(--two)}
.c3 .bar u{background:var(--three)}
.bar s{width:2px;margin-left:-1px;top:-4px;bottom:-4px;border-radius:1px;background:var(--mark)}
.key{display:inline-block;width:9px;height:9px;border-radius:5px;margin-right:7px;background:var(--one)}
.c2 .key{background:var(--two)}.c3 .key{background:var(--three)}
.long table{table-layout:fixed}.long td,.long th{overflow-wrap:anywhere;font-size:12.5px}
.long th:first-child{width:18%}.long th:nth-child(4){width:24%}.long.two th:first-child{width:40%}
.none{color:var(--faint);font-style:normal}
.funnel{padding:16px 18px 10px}
.step{display:grid;grid-template-columns:84px minmax(120px,1.1fr) minmax(190px,1.4fr);gap:16px;
padding:7px 0;align-items:start}.step b{font-weight:600;font-size:13.5px}
.flow{display:flex;height:20px;border-radius:5px;background:var(--track);overflow:hidden}
.flow i{background:var(--one)}.flow u{background:var(--mark)}.flow s{background:var(--two)}
.step p{margin:0;font-size:12.5px;line-height:1.6;color:var(--soft)}.step .lost{color:var(--bad)}
.step .stay{color:var(--two)}
.pairs{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:14px;margin-top:14px}
.pairs .box,.box.list{padding:14px 18px}.pairs .box{margin:0}.pairs h3{margin-top:0}
.hbar{display:grid;grid-template-columns:minmax(96px,auto) 1fr auto;gap:3px 12px;font-size:13px;align-items:center}
.hbar i{height:8px;border-radius:4px;background:var(--one);min-width:2px}.hbar i.zero{background:none}
.hbar .track{background:var(--track);border-radius:4px}.hbar span{color:var(--soft)}
.badge{display:inline-block;border-radius:99px;padding:2px 11px;font-size:12.5px;font-weight:550}
.good{color:var(--three);background:var(--threebg)}.bad{color:var(--bad);background:var(--badbg)}
.wait{color:var(--two);background:var(--twobg)}
dl.words{display:grid;grid-template-columns:170px minmax(0,1fr);gap:9px 20px;margin:14px 0 0;font-size:14px}
dl.words dt{font-weight:600}dl.words dd{margin:0;color:var(--soft);max-width:80ch}
code{font:12.5px ui-monospace,"SF Mono",Menlo,monospace;overflow-wrap:anywhere}
details summary{cursor:pointer;color:var(--one);font-size:13.5px;margin-top:10px}
footer{margin-top:56px;padding-top:18px;border-top:1px solid var(--line);color:var(--soft);font-size:13px}
footer p{max-width:86ch;margin:0 0 8px}
@media (max-width:720px){main{padding:0 16px 40px}.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}
.pairs{grid-template-columns:minmax(0,1fr)}.step{grid-template-columns:1fr;gap:4px}
dl.words{grid-template-columns:1fr;gap:2px}dl.words dd{margin-bottom:10px}h1{font-size:27px}}
@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--faint:#666;--line:#ccc;--track:#eee;--one:#2f52a0;
--onebg:#eef;--two:#7a5f14;--twobg:#f7f0dd;--three:#1a5c48;--threebg:#e4f2ec;--bad:#8c2414;--badbg:#fbeae6;--mark:#a53a22}
@page{margin:14mm 13mm}body{font-size:10.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}header{padding-top:0}nav{display:none}section{margin-top:26px}
.tile,.pairs .box,tr,.step,dl.words>*{break-inside:avoid}.box{overflow:visible}h2,h3,section>p{break-after:avoid}
.rates{min-width:0}th,td{padding:6px 9px}.tile b{font-size:19px}
.tile.words b{font-size:14px;line-height:1.6}}
</style></head><body><main>{{body}}</main></body></html>
"""
