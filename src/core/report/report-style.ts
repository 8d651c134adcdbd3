/** The style sheet of the report, inside the document: light and dark as the system says, and for paper. Fonts are those of the reader's machine. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#1b1f24;--soft:#57606a;--line:#d8dee4;--main:#0b7a75;--none:#c3cad2;--stale:#8c97a3;--low:#1864ab;--medium:#fd7e14;--high:#c92a2a;--m0:#e9edf1;--m1:#c2e4e1;--m2:#8fcdc8;--m3:#52b0a9;--m4:#0f8f87;--m5:#06635f}
@media (prefers-color-scheme:dark){:root{--back:#0d1219;--card:#10171f;--text:#e6edf3;--soft:#9aa4ae;--line:#26313c;--main:#47b0a9;--none:#3b4754;--stale:#66717c;--low:#4dabf7;--medium:#ffa94d;--high:#ff6b6b;--m0:#1d2731;--m1:#0f3e3c;--m2:#0b5e5a;--m3:#0f827b;--m4:#2ba59d;--m5:#70c2bc}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 20px 40px}
header{margin-bottom:20px}
h1{font-size:26px;line-height:1.25;margin:0 0 6px}
h2{font-size:16px;margin:0 0 12px}
.soft,header dl,.note{color:var(--soft)}
header dl{display:flex;flex-wrap:wrap;gap:2px 22px;margin:0}
header dl div{display:flex;gap:6px;min-width:0}
header dt{white-space:nowrap}
header dt::after{content:":"}
header dd{margin:0;color:var(--text);overflow-wrap:anywhere}
.grid2{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
section,.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 18px;margin-bottom:16px;min-width:0}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:16px;margin-bottom:16px}
.tiles .tile{margin:0}
.tile b{display:block;font-size:25px;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
.tile span{color:var(--soft)}
svg{display:block}
.share{width:100%;height:22px;border-radius:5px}
.time,.map{width:100%;height:auto}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:10px 0 0;padding:0}
.legend li{display:flex;align-items:center;gap:6px}
.legend span{color:var(--soft)}
.swatch{width:11px;height:11px;flex:none}
.k-none{fill:var(--none)}.k-stale{fill:var(--stale)}.k-low{fill:var(--low)}.k-medium{fill:var(--medium)}.k-high{fill:var(--high)}.k-active,.accent{fill:var(--main)}
.m0{fill:var(--m0)}.m1{fill:var(--m1)}.m2{fill:var(--m2)}.m3{fill:var(--m3)}.m4{fill:var(--m4)}.m5{fill:var(--m5)}
.map path,.map circle{stroke:var(--card);stroke-width:1.5}
.grid{stroke:var(--line);stroke-width:1}
.axis{fill:var(--soft);font-size:12px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:4px 10px 4px 0;vertical-align:middle;font-weight:400;overflow-wrap:anywhere}
thead th{color:var(--soft);border-bottom:1px solid var(--line)}
.ranking th{width:42%}
.ranking th,.legend{word-break:keep-all}
.bar svg{width:100%;height:9px;border-radius:3px}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.n:last-child,th.n:last-child{padding-right:0}
.scroll{overflow-x:auto}
.scroll table{min-width:600px}
.scroll th,.scroll td{overflow-wrap:normal;word-break:keep-all}
.scroll .free{overflow-wrap:anywhere;word-break:normal}
@media screen{.scroll table:has(.free){min-width:960px}}
.scroll .time{min-width:620px}
code{white-space:nowrap;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.note{margin:10px 0 0;font-size:13.5px}
.note+h2{margin-top:18px}
footer{color:var(--soft);font-size:13.5px}
footer ul{margin:0 0 8px;padding-left:18px}
a{color:var(--main)}
@media (max-width:760px){.grid2{grid-template-columns:minmax(0,1fr)}.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}main{padding:20px 12px}.ranking th{width:48%}}
@media print{:root{color-scheme:light;--back:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--none:#c3cad2;--stale:#8c97a3;--low:#1864ab;--medium:#fd7e14;--high:#c92a2a;--main:#0b7a75;--m0:#e9edf1;--m1:#c2e4e1;--m2:#8fcdc8;--m3:#52b0a9;--m4:#0f8f87;--m5:#06635f}
body{font-size:11px}main{max-width:none;padding:0}.scroll{overflow:visible}.scroll table,.scroll .time{min-width:0}section,.tile{break-inside:avoid}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
