/**
 * The style sheet stands inside the document: light and dark as the system or the document says, and for
 * paper. It uses the fonts of the reader's machine.
 */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--back:light-dark(#f6f7f9,#0d1219);--card:light-dark(#fff,#10171f);--text:light-dark(#1b1f24,#e6edf3);--soft:light-dark(#57606a,#9aa4ae);--line:light-dark(#d8dee4,#26313c);--main:light-dark(#0b7a75,#47b0a9);--none:light-dark(#c3cad2,#3b4754);--stale:light-dark(#8c97a3,#66717c);--low:light-dark(#1864ab,#4dabf7);--medium:light-dark(#fd7e14,#ffa94d);--high:light-dark(#c92a2a,#ff6b6b);--m0:light-dark(#e9edf1,#1d2731);--m1:light-dark(#c2e4e1,#0f3e3c);--m2:light-dark(#8fcdc8,#0b5e5a);--m3:light-dark(#52b0a9,#0f827b);--m4:light-dark(#0f8f87,#2ba59d);--m5:light-dark(#06635f,#70c2bc)}
:root[data-scheme=light]{color-scheme:light}
:root[data-scheme=dark]{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 40px}
[data-scheme] body{background:none}
[data-scheme] main{max-width:none;padding:0}
header{margin-bottom:20px}
h1{font-size:26px;line-height:1.25;margin:0 0 6px}
h2{font-size:16px;margin:0 0 12px}
.soft,header dl,.note{color:var(--soft)}
header dl{display:flex;flex-wrap:wrap;gap:2px 22px;margin:0}
header dl div{display:flex;gap:6px;min-width:0}
header dt{white-space:nowrap}
header dd{margin:0;color:var(--text);overflow-wrap:anywhere}
.grid2{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 16px;align-items:start}
section,.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 18px;margin-bottom:16px;min-width:0}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:16px;margin-bottom:16px}
.tiles .tile{margin:0}
.tile b{display:block;font-size:25px;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
.tile span{color:var(--soft)}
svg{display:block}
.share{width:100%;height:22px;border-radius:5px}
.map{width:100%;height:auto;max-height:520px}
.plot{display:flex;gap:8px}
.scale{display:flex;flex-direction:column;justify-content:space-between;height:218px;margin-top:1px;font-size:12px;line-height:18px;text-align:right;color:var(--soft)}
.time{flex:1;min-width:0;height:236px}
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
th,td{text-align:left;padding:4px 16px 4px 0;vertical-align:middle;font-weight:400;overflow-wrap:anywhere}
thead th{color:var(--soft);border-bottom:1px solid var(--line);white-space:nowrap}
tr>:last-child{padding-right:0}
.ranking th{width:42%}
.list th,.list td{vertical-align:top;overflow-wrap:normal;word-break:keep-all}
.list .free,.list .free code{overflow-wrap:anywhere;white-space:normal}
.list .tight,.verdict{white-space:nowrap}
.list tbody+tbody{border-top:1px solid var(--line)}
.more td{padding-top:0;color:var(--soft);font-size:13.5px;overflow-wrap:anywhere}
.verdict svg{display:inline-block;margin-right:6px}
.ranking th,.legend{word-break:keep-all}
.bar svg{width:100%;height:9px;border-radius:3px}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
code{white-space:nowrap;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.note{margin:10px 0 0;font-size:13.5px}
section ul{margin:0;padding-left:18px}
footer{color:var(--soft);font-size:13.5px}
footer ul{margin:0 0 8px;padding-left:18px}
a{color:var(--main)}
@media screen and (max-width:760px){.grid2{grid-template-columns:minmax(0,1fr)}.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:10px}main{padding:20px 12px}section,.tile{padding:14px}.ranking th{width:48%}.odd{display:none}
.list,.list tbody,.list tr,.list th,.list td{display:block}.list thead{position:absolute;clip-path:inset(50%)}.list tbody{padding:8px 0}
.list td,.list th{padding:1px 0}.list tbody th{font-weight:600}.list td[data-name]{display:flex;justify-content:space-between;gap:16px;white-space:normal;text-align:right}.list td[data-name]::before{content:attr(data-name);color:var(--soft);text-align:left;white-space:nowrap}.list td:empty{display:none}}
@media print{:root,:root[data-scheme]{color-scheme:light;--back:#fff;--text:#000}
body{font-size:10px;line-height:1.4}main{max-width:none;padding:0}section,.tile{padding:10px 12px;margin-bottom:10px}.tile b{font-size:19px}.more td,.note{font-size:9.5px}code{font-size:10px}th,td{padding:2px 10px 2px 0}.map{max-height:230px}
.tiles,.plot,.map,.legend,.list tbody,.ranking tr,li{break-inside:avoid}h2{break-after:avoid}.note{break-before:avoid}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
