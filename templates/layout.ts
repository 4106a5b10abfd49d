import { createHash } from 'node:crypto'
import { type Html, html, trusted } from './html.ts'

/** Colours are the browser's own (light and dark) but for links, marks and the outline of what has the focus. */
const style = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; --mark: #1d4ed8; --warn: #b45309; }
@media (prefers-color-scheme: dark) { :root { --mark: #93c5fd; --warn: #fbbf24; } }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 34rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; }
a { color: var(--mark); }
:focus-visible { outline: .2rem solid var(--mark); outline-offset: .15rem; }
dt { font-weight: 600; margin-top: .75rem; }
dd { margin: 0; }
.warning { border-left: .25rem solid var(--warn); padding: .25rem .75rem; }
.providers { list-style: none; padding: 0; }
.providers a { display: inline-block; padding: .6rem 0; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button { font: inherit; min-height: 2.75rem; min-width: 7rem; padding: .5rem 1.25rem; cursor: pointer; }
pre { overflow-x: auto; white-space: pre-wrap; }
`

/** A style sheet of ours, which a page's own policy allows by its hash. */
export interface StyleSheet {
  readonly text: string
  readonly hash: string
}

export const styleSheet = (text: string): StyleSheet => ({
  text,
  hash: createHash('sha256').update(text).digest('base64'),
})

const plain = styleSheet(style)

/** A whole page in the house's frame: no scripts, one inline style allowed by its hash, everything else refused. */
export function page(title: string, content: Html): string {
  const body = html`<main>
<h1>${title}</h1>
${content}
</main>`
  return frame({ title, style: plain, body })
}

/** The document around a body. */
export function frame({ title, style, body }: { title: string; style: StyleSheet; body: Html }): string {
  // No form-action: Chromium applies it to the redirect that answers the form, and consent redirects to the client.
  const policy = `default-src 'none'; style-src 'sha256-${style.hash}'; base-uri 'none'`
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(style.text)}</style>
</head>
<body>
${body}
</body>
</html>
`
  return document.markup
}
