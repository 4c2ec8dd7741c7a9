/** The widget's style sheet, adopted by its shadow root: nothing for a page's policy to refuse, nothing for its styles to reach. */

import { colourOf, DEFAULT_COLOUR, inkOn } from "./colour";

const LIGHT = `color-scheme:light;--panel:#fff;--sunk:#f1f1ec;--ink:#1d1f23;--ink-2:#54565c;--line:#deddd5;--edge:#85847a;--link:#1f5fbf;
--found:#1b6b3a;--found-bg:#e6f3ea;--partly:#7a5200;--partly-bg:#fbf1dc;--differs:#a3261b;--differs-bg:#fbe9e6;--marked:#ffe8a3;--rule:#8a6a00;--shadow:0 8px 28px rgb(29 31 35/22%),0 1px 3px rgb(29 31 35/12%)`;
const DARK = `color-scheme:dark;--panel:#1c1f24;--sunk:#111316;--ink:#ecedef;--ink-2:#a9adb5;--line:#30343b;--edge:#7b808a;--link:#8ab4f8;
--found:#7ccb98;--found-bg:#173023;--partly:#e3b45a;--partly-bg:#33290f;--differs:#f2958b;--differs-bg:#3a1c19;--marked:#5a4a12;--rule:#e3b45a;--shadow:0 8px 28px rgb(0 0 0/60%),0 0 0 1px rgb(255 255 255/8%)`;

const RULES = `
:host{all:initial!important;${LIGHT}}
@media(prefers-color-scheme:dark){:host(:not([data-theme=light])){${DARK}}}
:host([data-theme=dark]){${DARK}}
:host([data-place=inside]){display:block!important;block-size:100%!important}
*,*::before,*::after{box-sizing:border-box}
[hidden]{display:none!important}
.root{font:15px/22px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",Arial,sans-serif;color:var(--ink);text-align:start;block-size:100%}
p,ul,ol,blockquote,h2{margin:0;padding:0}
button,textarea,input{font:inherit;color:inherit}
button{cursor:pointer}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.icon{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round;flex:none}
.heard{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.quiet{color:var(--ink-2);font-size:13px;line-height:18px}
.launcher{position:fixed;z-index:2147483000;inset-block-end:20px;inset-inline-end:20px;inline-size:56px;block-size:56px;border:0;border-radius:28px;display:grid;place-items:center;background:var(--accent);color:var(--on-accent);box-shadow:var(--shadow)}
.left .launcher{inset-inline:20px auto}
.panel{display:flex;flex-direction:column;background:var(--panel);color:var(--ink);overflow:hidden}
.panel{position:fixed;z-index:2147483000;inset-block-end:88px;inset-inline-end:20px;inline-size:min(400px,calc(100vw - 40px));block-size:min(640px,calc(100dvh - 108px));border-radius:16px;box-shadow:var(--shadow)}
.left .panel{inset-inline:20px auto}
.inside .panel{position:static;inline-size:100%;block-size:100%;border:1px solid var(--line);border-radius:12px;box-shadow:none}
.head{display:flex;align-items:center;gap:2px;padding:10px 10px 10px 16px;border-block-end:1px solid var(--line)}
.head h2{flex:1;min-inline-size:0;font-size:16px;line-height:22px;font-weight:600;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.icon-button{display:grid;place-items:center;inline-size:36px;block-size:36px;padding:0;border:0;border-radius:8px;background:none;color:var(--ink-2)}
.icon-button:hover{background:var(--sunk);color:var(--ink)}
.icon-button[aria-pressed=true]{background:var(--sunk);color:var(--link)}
.log{flex:1;min-block-size:0;overflow-y:auto;overscroll-behavior:contain;padding:16px;display:grid;align-content:start;gap:20px}
.log:focus-visible{outline-offset:-2px}
.greeting{white-space:pre-line;overflow-wrap:anywhere}
.turn{display:grid;gap:10px;min-inline-size:0}
.turn>*{min-inline-size:0}
.question{justify-self:end;max-inline-size:88%;padding:8px 12px;border-radius:12px;background:var(--sunk);white-space:pre-wrap;overflow-wrap:anywhere}
.answer{display:grid;gap:8px;overflow-wrap:anywhere;line-height:24px}
.answer>*{min-inline-size:0}
.answer ul,.answer ol{padding-inline-start:22px;display:grid;gap:4px}
.answer code{font:13px/20px ui-monospace,"SF Mono",Menlo,Consolas,monospace;background:var(--sunk);padding:1px 4px;border-radius:4px}
.mark{display:inline-flex;align-items:center;gap:2px;min-inline-size:24px;min-block-size:24px;justify-content:center;margin-inline:2px;padding:0 5px;border:1px solid var(--edge);border-radius:6px;background:var(--sunk);color:var(--ink);font-size:12px;line-height:16px;vertical-align:1px}
.uncited{text-decoration:underline dotted var(--ink-2) 1.5px;text-underline-offset:3px}
.mark.none{border-style:dashed;color:var(--ink-2)}
.mark.found{background:var(--found-bg);color:var(--found);border-color:var(--found)}
.mark.partly{background:var(--partly-bg);color:var(--partly);border:1px dashed var(--partly)}
.mark.number_differs,.mark.not_found{background:var(--differs-bg);color:var(--differs);border-color:var(--differs)}
.card{padding:10px 12px 12px;border:1px solid var(--edge);border-radius:12px;display:grid;gap:8px;line-height:22px}
.card-head{display:flex;gap:4px;align-items:flex-start;justify-content:space-between}
.card-title{font-weight:600}
blockquote{max-block-size:180px;overflow:auto;padding-inline-start:10px;border-inline-start:3px solid var(--line);white-space:pre-line}
.around{color:var(--ink-2)}
mark{background:var(--marked);color:inherit;box-shadow:0 2px 0 var(--rule)}
.verdict{font-size:13px;line-height:18px}
.verdict .icon{margin-inline-end:4px;vertical-align:-2px}
.verdict.found strong,.verdict.found .icon{color:var(--found)}
.verdict.partly strong,.verdict.partly .icon{color:var(--partly)}
.verdict.number_differs strong,.verdict.number_differs .icon,.verdict.not_found strong,.verdict.not_found .icon{color:var(--differs)}
.stage{color:var(--ink-2);font-size:13px}
.foot{display:grid;gap:10px}
.foot:empty{display:none}
.chips{display:flex;flex-wrap:wrap;gap:6px;list-style:none}
.chips li{padding:2px 8px;border:1px solid var(--line);border-radius:6px;font-size:13px;line-height:18px;color:var(--ink-2)}
.helps{display:grid;gap:8px;list-style:none}
.help{padding:10px 12px;border:1px solid var(--line);border-radius:12px;overflow-wrap:anywhere}
.help.winner{border-color:var(--edge);background:var(--sunk)}
.help-title{font-weight:600}
.winner .help-title{font-size:17px;line-height:24px}
.preview{white-space:pre-line;font-size:14px;line-height:20px}
.help:not(.winner) .preview{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
a{color:var(--link)}
a .icon{margin-inline-start:4px;vertical-align:-2px}
.sources ul{display:grid;list-style:none;font-size:13px;line-height:18px;overflow-wrap:anywhere}
.sources li{padding-block:3px}
summary{cursor:pointer;min-block-size:24px}
.excerpt{white-space:pre-line;padding:4px 0 4px 14px;color:var(--ink-2)}
.note{font-size:13px;line-height:20px;color:var(--ink-2)}
.thumbs{display:flex;align-items:center;gap:2px;margin-inline-start:-8px}
.strip{display:grid;gap:8px;padding:12px 16px;border-block-start:1px solid var(--line);background:var(--sunk)}
.strip-form{display:grid;gap:8px}
.strip label{display:grid;gap:4px;font-size:13px;line-height:18px}
.ways{display:flex;flex-wrap:wrap;gap:8px}
.trouble{color:var(--differs)}
input,textarea{inline-size:100%;min-inline-size:0;padding:8px 10px;border:1px solid var(--edge);border-radius:8px;background:var(--panel);resize:none}
::placeholder{color:var(--ink-2);opacity:1}
.plain,.primary{min-block-size:36px;padding:6px 14px;border-radius:8px;border:1px solid var(--edge);background:var(--panel)}
.primary{border-color:transparent;background:var(--accent);color:var(--on-accent)}
.small{min-block-size:28px;padding:2px 10px;font-size:13px}
.box{display:flex;align-items:flex-end;gap:8px;padding:12px;border-block-start:1px solid var(--line)}
.box textarea{max-block-size:140px}
.send{flex:none;display:grid;place-items:center;inline-size:40px;block-size:40px;padding:0;border:0;border-radius:8px;background:var(--accent);color:var(--on-accent)}
.send[aria-disabled=true]{background:var(--sunk);color:var(--ink-2)}
@media(max-width:480px){.outside .panel{inset:0;inline-size:100%;block-size:100dvh;border-radius:0}.outside.open .launcher{display:none}.icon-button,.send{inline-size:44px;block-size:44px}input,textarea{font-size:16px}}
@media(forced-colors:active){.mark,.send,.launcher{border:1px solid ButtonText}}
`;

/** A style sheet with this accent; a colour that is none is the default. */
export function sheetOf(colour: string | null | undefined): CSSStyleSheet {
  const accent = colourOf(colour) ?? DEFAULT_COLOUR;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${RULES}:host{--accent:${accent};--on-accent:${inkOn(accent)}}`);
  return sheet;
}
