import { html } from './html.ts';

/** Styles of colors, the frame and the contents, then of narrow screens and print. */
export const style = html`
:root{color-scheme:light dark;--bg:#fff;--side:#f6f8fa;--text:#1b2534;--soft:#566275;--line:#dfe5ec;--accent:#0b6583;--mark:#e6f3f7;--code:#eef2f6;--panel:#101b2b;--panel-text:#dbe5f1;--panel-soft:#9fb1c6;--panel-key:#8fd0ea;--panel-type:#f0c987;--panel-line:#26364b;--need:#a63a12;--get:#0a6640;--get-bg:#dff4e8;--post:#0b4fa8;--post-bg:#e2edfc;--put:#7a4d00;--put-bg:#fcefd2;--patch:#6a2fb0;--patch-bg:#f0e7fd;--delete:#ab211b;--delete-bg:#fde6e4}
@media screen and (prefers-color-scheme:dark){:root{--bg:#0d141e;--side:#111a26;--text:#dce4ee;--soft:#9aa9bc;--line:#233042;--accent:#6cc4e4;--mark:#13303d;--code:#1a2635;--panel:#0a1019;--panel-line:#1f2c3d;--need:#ffab85;--get:#74dba9;--get-bg:#12332a;--post:#8fbcff;--post-bg:#162d4f;--put:#f3c470;--put-bg:#3a2c10;--patch:#cfacff;--patch-bg:#2f2149;--delete:#ff9f98;--delete-bg:#45201f}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;display:grid;grid-template-columns:19rem minmax(0,1fr)}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
main:focus{outline:none}
code,pre,.t,.m{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
p code,td code{background:var(--code);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
p{margin:.6rem 0}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem 1rem;z-index:9}
.bar{display:none}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;background:var(--side);border-right:1px solid var(--line);padding:1.5rem 1rem 3rem;font-size:.875rem;line-height:1.35;overscroll-behavior:contain}
nav a{color:inherit;text-decoration:none}
.brand{display:flex;justify-content:space-between;margin:0 .5rem .5rem;font-size:1.05rem}
.brand small{color:var(--soft);font-size:.8rem}
.brand strong,.bar strong{letter-spacing:-.01em}
.close{display:none}
.filter{position:sticky;top:-1.5rem;margin:0 -1rem .75rem;padding:.75rem 1rem;background:var(--side);z-index:1}
.filter label{position:absolute;left:-99rem}
.filter input{width:100%;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:6px;padding:.45rem .65rem}
::placeholder{color:var(--soft);opacity:1}
.filter output{display:block;color:var(--soft);font-size:.8rem}
.filter output:not(:empty){margin:.35rem .2rem 0}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav li a{display:flex;gap:.55rem;padding:.32rem .5rem;border-radius:6px;align-items:baseline}
nav li a:hover{background:var(--code)}
nav li a[aria-current]{background:var(--mark);color:var(--accent)}
nav summary{cursor:pointer;font-weight:650;padding:.4rem .5rem;border-radius:6px}
nav .m{min-width:3.4rem;flex:none;background:none;padding:0;font-size:.6875rem;text-align:left}
.m{display:inline-block;font-weight:700;font-size:.75rem;padding:.15rem .5rem;border-radius:5px;letter-spacing:.02em;color:var(--soft)}
.get{color:var(--get);background:var(--get-bg)}.post{color:var(--post);background:var(--post-bg)}.put{color:var(--put);background:var(--put-bg)}.patch{color:var(--patch);background:var(--patch-bg)}.delete{color:var(--delete);background:var(--delete-bg)}
main{padding:2.5rem 3.5rem 6rem;max-width:92rem;width:100%}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 .5rem}
h2{font-size:1.35rem;letter-spacing:-.01em;margin:0 0 .5rem}
.area>header h2{font-size:1.75rem;letter-spacing:-.02em}
h3{font-size:1.2rem;letter-spacing:-.01em;margin:0}
h4{font-size:.8125rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.75rem 0 .5rem}
h4 small{font-size:inherit;text-transform:none;letter-spacing:0;font-weight:400}
h1 a,h2 a,h3 a{color:inherit;text-decoration:none}
h2 a:hover:after,h3 a:hover:after{content:" #";color:var(--soft)}
.top{max-width:46rem;margin-bottom:2rem}
.top p{color:var(--soft)}
.intro{columns:2;column-gap:3rem;border-top:1px solid var(--line);padding-top:1rem}
.intro section{break-inside:avoid;padding:1rem 0}
.intro figure{margin:1rem 0 0}
.op{display:grid;grid-template-columns:minmax(0,46rem) minmax(26rem,1fr);gap:0 3rem;padding:2rem 0;border-top:1px solid var(--line)}
.area>header{border-top:1px solid var(--line);padding:3.5rem 0 1.75rem}
.area>header p{color:var(--soft);margin:0}
.type h3{margin-bottom:.75rem}
.type{max-width:46rem;padding:1.75rem 0;border-top:1px solid var(--line)}
.examples{position:sticky;top:1.5rem;align-self:start;max-width:40rem}
.route{margin:.5rem 0 .75rem;overflow-wrap:anywhere}
.route code{background:none;padding:0;margin-left:.25rem}
.route i{font-style:normal;color:var(--accent)}
.facts,.errors{list-style:none;display:flex;flex-wrap:wrap;gap:.4rem;margin:.75rem 0;padding:0;font-size:.8125rem}
.facts li,.errors a{border:1px solid var(--line);border-radius:99px;padding:.1rem .65rem;color:var(--soft)}
.facts a{color:inherit}
.facts li:last-child{border:0;padding-left:.2rem}
.facts .spends{color:var(--need);border-color:currentColor}
.errors a{display:block;text-decoration:none;border-radius:6px;font-size:.75rem;padding:.15rem .5rem}
.errors a:hover{border-color:var(--accent);color:var(--accent)}
.errors b{color:var(--text)}
.fields{margin:0;border-top:1px solid var(--line)}
.fields>div{display:grid;grid-template-columns:minmax(0,12rem) minmax(0,1fr);gap:0 1.25rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
.fields dt{overflow-wrap:anywhere;line-height:1.45}
.fields dt code{font-weight:650}
.fields dd{margin:0;font-size:.9rem}
.fields dd>:first-child{margin-top:0}
.fields dd>p:last-child{margin-bottom:0}
.fields p{margin:.25rem 0}
.t{color:var(--soft);font-size:.8rem;display:inline-block}
.fields .in{grid-column:1/-1;margin-top:.4rem}
em{font-style:normal;font-size:.75rem}
.required{color:var(--need);font-weight:600}.optional{color:var(--soft)}
.limits{color:var(--soft)}
.limits span:not(:last-child):after{content:" · "}
.note{color:var(--soft);font-size:.875rem}
main details{border:1px solid var(--line);border-radius:8px;margin:.4rem 0;padding:0 .85rem}
main summary{cursor:pointer;margin:0 -.85rem;padding:.4rem .85rem;font-size:.875rem;border-radius:8px}
main summary:hover{background:var(--side)}
main details[open]>summary{border-bottom:1px solid var(--line);border-radius:8px 8px 0 0}
main details .fields{border-top:0}
main details .fields>div:last-child{border-bottom:0}
main details details .fields>div{grid-template-columns:minmax(0,10.5rem) minmax(0,1fr)}
.answer>summary b{color:var(--get);margin-right:.35rem}
.answer>summary .t{margin-left:.35rem}
.form{font-size:.9rem}
table{border-collapse:collapse;width:100%;font-size:.875rem;margin:1rem 0}
th{text-align:left;color:var(--soft);font-weight:600}
td code{white-space:nowrap}
th,td{padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:target td{background:var(--mark)}
figure{margin:0 0 1rem;background:var(--panel);color:var(--panel-text);border:1px solid var(--panel-line);border-radius:10px;overflow:hidden;position:relative}
figcaption,main figure summary{color:var(--panel-soft);font-size:.8125rem;padding:.5rem 1rem;margin:0;border-bottom:1px solid var(--panel-line)}
main figure details{border:0;margin:0;padding:0}
main figure summary:hover{background:none;color:var(--panel-text)}
main figure details:not([open])>summary{border:0}
main figure details[open]>summary{border-color:var(--panel-line)}
pre{margin:0;padding:.85rem 1rem;font-size:.8125rem;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:inherit}
pre b{font-weight:400;color:var(--panel-key)}
pre i{font-style:normal;color:var(--panel-type)}
figure button{position:absolute;top:.35rem;right:.5rem;font:inherit;font-size:.75rem;color:var(--panel-text);background:var(--panel-line);border:0;border-radius:5px;padding:.15rem .6rem;cursor:pointer}
figure button:hover{filter:brightness(1.3)}
figure :focus-visible{outline-color:var(--panel-key);outline-offset:-2px}
nav .within a{padding-left:1.5rem;color:var(--soft);font-size:.8125rem}
.guide{max-width:50rem}
.guide .top{margin-bottom:1.25rem}
.guide h2{margin:2.75rem 0 .5rem;padding-top:1.5rem;border-top:1px solid var(--line)}
.guide h3{font-size:1.05rem;margin:1.75rem 0 .5rem}
.guide li{margin:.3rem 0}
.guide li code{background:var(--code);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
.guide figure{margin:1rem 0;color-scheme:dark}
.guide .copy{padding-right:4.5rem}
.guide td{overflow-wrap:anywhere}
.guide td code{white-space:normal}
.guide em{font-style:italic;font-size:inherit}
.guide .output{white-space:pre;overflow-x:auto;overflow-wrap:normal;color:var(--panel-soft)}
@media screen and (max-width:75rem){.intro{columns:auto;max-width:46rem}.op{grid-template-columns:minmax(0,46rem)}.examples{position:static;max-width:46rem;margin-top:1.5rem}main{padding:2rem 2.5rem 5rem}}
@media screen and (max-width:52rem){html{scroll-padding-top:4rem}body{display:block}.bar{display:flex;justify-content:space-between;align-items:center;position:sticky;top:0;z-index:2;background:var(--bg);border-bottom:1px solid var(--line);padding:.6rem 1rem}.bar a:first-child{color:inherit;text-decoration:none}.menu,.close{padding:.25rem .75rem;border:1px solid var(--line);border-radius:6px;text-decoration:none}nav{display:none;position:fixed;inset:0;z-index:3;height:auto;border:0}nav:target{display:block}.close{display:block;font-size:.875rem;color:var(--accent)}main{padding:1.5rem 1rem 4rem}h1{font-size:1.6rem}.fields>div,main details details .fields>div{grid-template-columns:minmax(0,1fr)}nav li a{padding:.5rem}}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{:root{color-scheme:light}body{display:block;font-size:10pt}nav,.bar,.skip,figure button,figure:has(details){display:none}main{padding:0;max-width:none}.op{display:block;padding:1rem 0}.area>header{padding:1.5rem 0 1rem}.intro{columns:auto}.examples,.type{position:static;max-width:none}figure{background:none;color:inherit;border-color:var(--line)}figcaption,pre b,pre i{color:inherit;border-color:var(--line)}h2,h3,h4,.route,summary{break-after:avoid}figure,dt,dd:not(.in){break-inside:avoid}details::details-content{content-visibility:visible;display:block}}
`;
