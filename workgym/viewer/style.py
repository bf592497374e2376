"""The page around a report."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>workgym demo</title>
<style>
:root{--paper:#f5f6f4;--card:#fff;--ink:#1d2733;--soft:#66727f;--line:#d5dbe1;--good:#1f6b54;--goodbg:#e0f0ea;
--bad:#9c2f1c;--badbg:#f8e3de;--accent:#3b62b5}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--card:#1c2229;--ink:#e6eaee;--soft:#97a3af;--line:#37414b;
--good:#7fd1b3;--goodbg:#173a30;--bad:#f0a08f;--badbg:#43231d;--accent:#93b0f0}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
header,section,footer,body>.scroll{max-width:1380px;margin:0 auto;padding:0 28px}
header{padding-top:44px}h1{font-size:31px;line-height:1.2;margin:4px 0 10px;letter-spacing:-.015em}
.lead{max-width:72ch;color:var(--soft);margin:0 0 24px}
.eyebrow{font-size:11.5px;letter-spacing:.1em;text-transform:uppercase;color:var(--soft);margin:0}
section{margin-top:44px;padding-top:28px;border-top:1px solid var(--line)}
h2{font-size:22px;margin:2px 0 0;letter-spacing:-.01em}.id{
font:12.5px ui-monospace,monospace;color:var(--soft);margin:2px 0 8px}
h3{font-size:15px;margin:26px 0 10px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line);
border-radius:8px;font-size:13.5px}
th{font-weight:600;text-align:left;color:var(--soft);font-size:12px}
th,td{padding:8px 12px;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
code{font:12.5px ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px;margin:0;
font:13px/1.55 ui-monospace,monospace}
.columns{display:grid;grid-template-columns:minmax(0,1.1fr) minmax(0,1fr);gap:26px}
@media (max-width:900px){.columns{grid-template-columns:minmax(0,1fr)}}
.badge{display:inline-block;border-radius:99px;padding:1px 10px;margin:1px 4px 1px 0;
font-size:12.5px;white-space:nowrap}
.good{color:var(--good);background:var(--goodbg)}.bad{color:var(--bad);background:var(--badbg)}
.quiet{color:var(--soft);border:1px solid var(--line)}
dl{display:grid;grid-template-columns:110px 1fr;gap:4px 14px;margin:0 0 12px}dt{color:var(--soft)}dd{margin:0}
details summary{cursor:pointer;color:var(--accent);margin-bottom:8px}
section .wg-graph .ground{fill:none}section .wg-graph g rect{fill:var(--card)}section .wg-graph text{fill:var(--ink)}
section .wg-graph .kind,section .wg-graph .legend,section .wg-graph .head{fill:var(--soft)}
section .wg-graph path.loc{stroke:var(--line)}
.wg-graph{width:100%;height:auto;min-width:980px}
.soft,footer{color:var(--soft)}footer{margin:52px auto 40px;font-size:13px}
</style></head><body>{{body}}</body></html>
"""
