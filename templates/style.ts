/** The one style sheet of all pages: tokens, elements, blocks. Light and dark come from the system; fonts are its own, and
 *  nothing is loaded. What a page adds stands in `extra` of its own sheet, in the words of these tokens. */
import { createHash } from 'node:crypto'

/** A style sheet or a script of ours, which a page's own policy allows by its hash. */
export interface InlineSource {
  readonly text: string
  readonly hash: string
}

export type StyleSheet = InlineSource

/** Text of ours that may stand in a page: as it is, and allowed by its hash. */
export const inlineSource = (text: string): InlineSource => ({
  text,
  hash: createHash('sha256').update(text).digest('base64'),
})

/** Colours say what they are for. Each text on each of its grounds has a contrast of 4.5 or more (WCAG 2.2, 1.4.3), each edge
 *  of a control 3 (1.4.11); `test/pages` measures them. */
const tokens = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --surface: #fff; --soft: #eef0f5; --text: #15181e; --muted: #575f6c; --line: #dde1e8; --edge: #7f8896;
  --accent: #2b4fd0; --accent-strong: #2240ab; --on-accent: #fff;
  --warn: #8a4b00; --warn-soft: #fff4df; --bad: #b3261e; --bad-soft: #fdeceb; --good: #1b6e3c; --good-soft: #e7f5ec;
  --shadow: 0 1px 2px #1018280d, 0 8px 24px #10182814;
  --radius: .75rem; --radius-small: .5rem;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1115; --surface: #181b21; --soft: #22262e; --text: #e9ebef; --muted: #a5adba; --line: #2d323b; --edge: #77808f;
    --accent: #9db7ff; --accent-strong: #bccdff; --on-accent: #0c1533;
    --warn: #f5c26b; --warn-soft: #2c2312; --bad: #ffb4ab; --bad-soft: #33191a; --good: #86d9a5; --good-soft: #14291c;
    --shadow: 0 0 0 1px #ffffff0f;
  }
}`

const elements = `
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 100%/1.55 var(--sans); background: var(--ground); color: var(--text); -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h1 { font-size: 1.5rem; margin: 0 0 .75rem; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p { margin: 0 0 1rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: .1875rem solid var(--accent); outline-offset: .125rem; border-radius: .25rem; }
pre, code, kbd, samp { font-family: var(--mono); font-size: .875em; }
:not(pre) > code { background: var(--soft); border-radius: .25rem; padding: .1em .3em; }
pre { margin: 0 0 1rem; padding: .875rem 1rem; overflow-x: auto; background: var(--soft); border-radius: var(--radius-small); line-height: 1.5; overflow-wrap: normal; }
pre code { font-size: inherit; }
pre.wrapped { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
caption { text-align: left; color: var(--muted); padding-bottom: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; font-size: .875rem; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
button, input, select, textarea { font: inherit; color: inherit; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .5rem 1.25rem; cursor: pointer;
  border: 1px solid var(--edge); border-radius: var(--radius-small); background: var(--surface); color: var(--text);
  font-weight: 600; text-decoration: none; text-align: center;
}
button:hover, .button:hover { background: var(--soft); color: var(--text); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { background: var(--accent-strong); border-color: var(--accent-strong); color: var(--on-accent); }
button.quiet { min-height: 2.75rem; padding: .25rem .25rem; border-color: transparent; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; text-underline-offset: .15em; }
button.quiet:hover { color: var(--accent-strong); background: none; }
button:disabled { cursor: default; opacity: .6; }
input:not([type=radio], [type=checkbox], [type=hidden]), select, textarea {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; background: var(--surface); border: 1px solid var(--edge); border-radius: var(--radius-small);
}
textarea { min-height: 6rem; font-family: var(--mono); font-size: .875rem; }
label { font-weight: 600; }
summary { cursor: pointer; font-weight: 600; padding: .5rem 0; }
@media (prefers-reduced-motion: no-preference) { button, .button { transition: background-color .12s, border-color .12s; } }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { transition: none !important; animation: none !important; scroll-behavior: auto !important; } }`

const layout = `
.top { display: flex; align-items: center; gap: .75rem; }
.monogram { flex: none; display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: .625rem; background: var(--accent); color: var(--on-accent); font-weight: 700; }
.service { display: grid; line-height: 1.3; min-width: 0; }
.service strong { font-size: 1.0625rem; }
.narrow { display: flex; flex-direction: column; justify-content: center; gap: 1.25rem; padding: 2rem 1rem; }
.narrow > * { width: 100%; max-width: 31rem; margin-inline: auto; }
.narrow > main { background: var(--surface); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow); padding: 2rem; }
.narrow h2 { margin: 1.75rem 0 .75rem; }
.narrow > footer { text-align: center; }
.wide > * { width: 100%; max-width: 66rem; margin-inline: auto; padding-inline: 1rem; }
.wide > header { padding-block: 1.25rem; }
.wide > main { padding-block: .75rem 3rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
.wide > main:first-child { padding-top: 2rem; }
.wide > main > :is(h1, p) { margin-bottom: 0; }
.wide > footer { padding-block: 0 2rem; }
@media (max-width: 33rem) {
  .narrow { justify-content: flex-start; padding: 1.25rem 1rem; }
  .narrow > main { padding: 1.5rem 1.25rem; }
}`

const blocks = `
.muted, footer { color: var(--muted); font-size: .9375rem; }
.lead { font-size: 1.0625rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 1.25rem; min-width: 0; }
.card > :last-child, .notice > :last-child, .panel > :last-child, main > :last-child { margin-bottom: 0; }
.definitions { margin: 0 0 1.25rem; border-top: 1px solid var(--line); }
.definitions > div { padding: .625rem 0; border-bottom: 1px solid var(--line); display: grid; gap: .125rem 1rem; }
.definitions dt { color: var(--muted); font-size: .9375rem; }
.definitions dd { margin: 0; min-width: 0; }
@media (min-width: 30rem) { .definitions > div { grid-template-columns: 7.5rem minmax(0, 1fr); } }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.actions > * { flex: 1 1 8rem; }
@media (min-width: 40rem) { .wide .actions > * { flex: 0 1 12rem; } }
.notice { margin: 0 0 1.25rem; padding: .75rem 1rem; border-radius: var(--radius-small); border-left: .25rem solid var(--accent); background: var(--soft); }
.notice.warning { border-color: var(--warn); background: var(--warn-soft); }
.notice.error { border-color: var(--bad); background: var(--bad-soft); }
.notice.success { border-color: var(--good); background: var(--good-soft); }
.notice.warning strong { color: var(--warn); }
.notice.error strong { color: var(--bad); }
.notice.success strong { color: var(--good); }
.code { display: flow-root; position: relative; margin: 0 0 1rem; background: var(--soft); border-radius: var(--radius-small); }
.code pre { margin: 0; background: none; }
.code .copy { position: absolute; top: .375rem; right: .375rem; min-height: 2rem; padding: .125rem .625rem; font-size: .8125rem; }
.code .copy:not([hidden]) + pre { padding-right: 5.5rem; }
.scroll { overflow-x: auto; margin: 0 0 1rem; }
@media (max-width: 40rem) {
  .code .copy { position: static; display: block; margin: .375rem .375rem 0 auto; }
  .code .copy[hidden] { display: none; }
  .code .copy:not([hidden]) + pre { padding-right: 1rem; }
  .scroll thead { position: absolute; clip-path: inset(50%); }
  .scroll tr { display: block; padding: .625rem 0; border-bottom: 1px solid var(--line); }
  .scroll caption { display: block; }
  .scroll td { display: block; padding: .125rem 0; border: 0; }
  .scroll td:not(:first-child)::before { content: attr(data-label) ": "; color: var(--muted); font-size: .875rem; }
  .scroll td:empty { display: none; }
}
.tabs { display: flex; flex-wrap: wrap; gap: 0 .25rem; border: 0; margin: 0; padding: 0; min-width: 0; }
.tabs > legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
.tabs > input { position: absolute; opacity: 0; width: 1px; height: 1px; margin: 0; }
.tabs > label { order: 1; display: flex; align-items: center; min-height: 2.75rem; padding: .25rem .875rem; cursor: pointer; border-bottom: .1875rem solid transparent; color: var(--muted); }
.tabs > label:hover { color: var(--text); }
.tabs > input:checked + label { color: var(--accent); border-color: var(--accent); }
.tabs > input:focus-visible + label { outline: .1875rem solid var(--accent); outline-offset: -.1875rem; border-radius: .25rem; }
.tabs > .panel { order: 2; flex: 0 0 100%; min-width: 0; display: none; padding-top: 1rem; border-top: 1px solid var(--line); margin-top: -1px; }
.tabs > input:checked + label + .panel { display: block; }
.badge { display: inline-block; padding: .0625rem .5rem; border-radius: 1rem; background: var(--soft); color: var(--muted); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.note { display: block; color: var(--muted); font-size: .875rem; }
.permission { display: block; }
.address { max-height: 7rem; overflow-y: auto; margin-top: .25rem; padding: .375rem .5rem; border: 1px solid var(--line); border-radius: .375rem; font-size: .875rem; }
.address code, .note code { background: none; padding: 0; color: var(--muted); }
.other { margin-top: 1.25rem; padding-top: .75rem; border-top: 1px solid var(--line); text-align: center; color: var(--muted); }
.stack .button { width: 100%; }
.stack .note { text-align: center; margin-top: .25rem; }
mark { background: var(--warn-soft); color: var(--warn); font-weight: 600; }
ul.plain, ol.plain { list-style: none; margin: 0; padding: 0; }
.stack { display: grid; gap: .625rem; }
.field { display: grid; gap: .25rem; margin-bottom: 1rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .5rem; z-index: 1; }
@media (forced-colors: active) { .notice, .card, .narrow > main { border: 1px solid; } .tabs > input:checked + label { border-color: Highlight; } }
`

const base = tokens + elements + layout + blocks

/** The sheet with what one page adds. */
export const styleSheet = (extra = ''): StyleSheet => inlineSource(base + extra)
