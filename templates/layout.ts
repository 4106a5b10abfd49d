import { createHash } from 'node:crypto'
import { type Html, html, trusted } from './html.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 34rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; }
dt { font-weight: 600; margin-top: .75rem; }
dd { margin: 0; }
.warning { border-left: .25rem solid #b45309; padding: .25rem .75rem; }
.actions { display: flex; gap: .75rem; margin-top: 1.5rem; }
button { font: inherit; padding: .5rem 1.25rem; }
`

const styleHash = createHash('sha256').update(style).digest('base64')

// No form-action: Chromium applies it to the redirect that answers the form, and consent redirects to the client.
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'`

/** A whole page in the house's frame: no scripts, one inline style allowed by its hash, everything else refused. */
export function page(title: string, content: Html): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
  return document.markup
}
