"""Hostile pages and mails: tags, styles, parts and headers without end."""

from __future__ import annotations

from .hostile import hostile


@hostile("read", "a.html", "a.xml")
def a_drawing_with_a_file_from_outside() -> bytes:
    return b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/><use href="http://attacker.example/x#a"/></svg>'


@hostile("over-limit", "a.html")
def ten_million_open_tags() -> bytes:
    return b"<b>" * 6_000_000


@hostile("over-limit read", "a.html", slow=True)
def five_million_paragraphs() -> bytes:
    return b"<p>x" * 5_000_000


@hostile("over-limit read", "a.html", slow=True)
def four_hundred_thousand_cells() -> bytes:
    return b"<table>" + (b"<tr>" + b"<td>x" * 100) * 4_000


@hostile("over-limit", "a.html", slow=True)
def four_million_cells() -> bytes:
    return b"<table>" + (b"<tr>" + b"<td>" * 100) * 40_000


@hostile("over-limit read", "a.html")
def cells_over_every_row() -> bytes:
    return b"<table>" + b"<tr><td rowspan=65534 colspan=1000>x" * 200_000


@hostile("over-limit read", "a.html")
def tables_in_tables() -> bytes:
    return b"<table><tr><td>" * 500_000


@hostile("over-limit read", "a.html", slow=True)
def formatting_that_is_never_closed() -> bytes:
    return b"<p><a><b><i><font>" * 100_000 + b"</p>" * 100_000


@hostile("over-limit read", "a.html", slow=True)
def end_tags_of_nothing() -> bytes:
    return b"<div>" * 250 + b"</span></b></p></x>" * 1_000_000


@hostile("over-limit read", "a.html", slow=True)
def a_tag_of_a_million_attributes() -> bytes:
    return b"<p " + b" ".join(b"data-q%d=x" % number for number in range(1_000_000)) + b">x</p>"


@hostile("over-limit read", "a.html", slow=True)
def a_style_sheet_without_end() -> bytes:
    return b"<style>" + b".a .b,p,td{color:white;display:none}" * 300_000 + b"</style><p class=a>x" * 1_000


@hostile("over-limit read", "a.html", slow=True)
def many_rules_for_many_paragraphs() -> bytes:
    rules = b"".join(b".c%d{display:none}#i%d,p.d%d{color:#fff}" % (n, n, n) for n in range(100_000))
    return b"<style>" + rules + b"</style>" + b"<p class='c1 c2 c3 c4 c5 c6'>x" * 100_000


@hostile("truncated corrupt read over-limit", "a.html")
def comments_that_never_end() -> bytes:
    return b"<p>x<!--" + b"<!-- --" * 3_000_000


@hostile("truncated corrupt read over-limit", "a.html")
def scripts_that_never_end() -> bytes:
    return b"<script>" + b"</scrip<!--<script" * 1_500_000


@hostile("read over-limit", "a.html", slow=True)
def references_and_nothing_else() -> bytes:
    return b"<p>" + b"&notit;&#x110000;&amp" * 900_000 + b"&" * 1_000_000


@hostile("read over-limit", "a.html", slow=True)
def blanks_between_tags() -> bytes:
    return b"<p>x" + b" <i> </i>\n" * 1_500_000 + b"y"


HEAD = b"From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\n"


@hostile("over-limit read", "a.eml")
def a_hundred_thousand_parts() -> bytes:
    parts = b"".join(b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" for _ in range(100_000))
    return HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + parts + b"--b--\r\n"


@hostile("over-limit", "a.eml")
def parts_in_parts_that_multiply() -> bytes:
    made = b"Content-Type: text/plain\r\n\r\nx\r\n"
    for depth in range(6):
        each = b"".join(b"--b%d\r\n" % depth + made for _ in range(9))
        made = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n" % depth + each + b"--b%d--\r\n" % depth
    return HEAD + made


@hostile("over-limit read", "a.eml")
def messages_in_messages() -> bytes:
    made = HEAD + b"\r\nx\r\n"
    for depth in range(200):
        inner = b"--b%d\r\nContent-Type: message/rfc822\r\n\r\n" % depth + made + b"\r\n--b%d--\r\n" % depth
        made = HEAD + b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n" % depth + inner
    return made


@hostile("over-limit read corrupt", "a.eml")
def a_million_headers() -> bytes:
    return HEAD + b"Received: by x\r\n" * 1_000_000 + b"\r\nx"


@hostile("read over-limit corrupt", "a.eml")
def a_header_of_a_million_folds() -> bytes:
    return HEAD + b"X-Long: a" + b"\r\n  b" * 1_000_000 + b"\r\n\r\nx"


@hostile("read over-limit corrupt", "a.eml")
def folds_that_are_tried_in_every_way() -> bytes:
    return HEAD + b"X-Long: a" + b"\r\n      b" * 40 + b"\r" + b"c\r\n\r\nx"


@hostile("read over-limit corrupt", "a.eml")
def blanks_that_are_tried_in_every_way() -> bytes:
    return HEAD + b"X-Long: a\r\n" + b" " * 200_000 + b"\rc\r\n\r\n" + b"Y" * 1_000_000 + b" " * 200_000 + b"x"


@hostile("read over-limit corrupt", "a.eml", slow=True)
def a_header_of_encoded_words() -> bytes:
    return HEAD + b"Subject: " + b"=?utf-8?q?=41?= " * 600_000 + b"=?" * 600_000 + b"\r\n\r\nx"


@hostile("read over-limit corrupt truncated", "a.eml")
def a_header_of_parameters() -> bytes:
    pieces = b"".join(b"; name*%d*=%%41" % (number % 1000) for number in range(300_000))
    return HEAD + b"Content-Type: text/plain" + pieces + b'; x="' + b"\\" * 500_000 + b"\r\n\r\nx"


@hostile("read over-limit", "a.eml", slow=True)
def a_page_with_ten_million_tags() -> bytes:
    return HEAD + b"Content-Type: text/html\r\n\r\n" + b"<p>" * 10_000_000


@hostile("read over-limit corrupt", "a.eml")
def the_same_name_for_every_attachment() -> bytes:
    part = b"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n"
    return HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part * 1_900 + b"--b--\r\n"


@hostile("read", "a.eml")
def an_attachment_that_leads_out() -> bytes:
    part = b'--b\r\nContent-Disposition: attachment; filename="../../etc/cron.d/x\x01.csv"\r\n\r\na,b\r\n'
    return HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part + b"--b--\r\n"


@hostile("over-limit", "a.mbox")
def millions_of_from_lines() -> bytes:
    return b"From a Thu Jan  1 09:00:00 2026\n\n" * 900_000


@hostile("corrupt over-limit read", "a.mbox", slow=True)
def lines_that_almost_begin_a_message() -> bytes:
    return b"From a Thu Jan  1 09:00:00 2026\nSubject: x\n\n" + b"\n\nFrom " + (b"1:" * 100 + b"\n\nFrom ") * 130_000


@hostile("read over-limit corrupt", "a.mbox", slow=True)
def four_hundred_full_messages() -> bytes:
    return (b"From a Thu Jan  1 09:00:00 2026\nSubject: x\n\n" + b"x\n" * 20_000 + b"\n") * 400
