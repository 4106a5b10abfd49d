/** `/docs`: a bar of ours above a reference UI of others, which writes styles as it likes. Its policy is stricter everywhere
 *  else: the two scripts by a nonce, requests and documents of this origin alone, nothing from anywhere else. */
import { browserScript } from '../browser-script.ts'
import { html, trusted } from '../html.ts'

export interface ApiDocsView {
  readonly serviceName: string
  /** Where the OpenAPI document is. */
  readonly documentPath: string
  /** What its operations ask for, as the build names it. */
  readonly securityScheme: 'bearerAuth' | 'oauth2'
  /** Where the script of the reference UI is. */
  readonly scriptPath: string
  /** New for every answer. */
  readonly nonce: string
  /** How the page signs in, by the names that `browser/sign-in.ts` reads; null where no user can. */
  readonly signIn: Readonly<Record<string, string>> | null
}

/** The page, and its part of the policy. */
export function apiDocsPage(view: ApiDocsView): { readonly markup: string; readonly policy: string } {
  const { serviceName, documentPath, securityScheme, scriptPath, nonce, signIn } = view
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>API reference · ${serviceName}</title>
<style>${trusted(style)}</style>
</head>
<body>
<header class="acmcp-bar" data-api-docs="${JSON.stringify({ documentPath, securityScheme, signIn })}"><strong>${serviceName}</strong> <a href="${documentPath}">OpenAPI document</a></header>
<noscript>Reading the API here needs JavaScript; the document above needs none.</noscript>
<div data-reference></div>
<script nonce="${nonce}" src="${scriptPath}"></script>
<script nonce="${nonce}">${trusted(script)}</script>
</body>
</html>
`
  return { markup: document.markup, policy: policyOf(nonce) }
}

const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'", // the UI makes style elements while it runs
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
  ].join('; ')

const script = browserScript(['values', 'dom', 'sign-in', 'api-docs'], 'startApiDocs')

/** In names of our own: the UI's sheet is in the same document. */
const style = `
:root { color-scheme: light dark; }
body { margin: 0; }
.acmcp-bar { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .5rem 1rem; font: 1rem/1.5 system-ui, sans-serif; border-bottom: 1px solid #8886; background: Canvas; color: CanvasText; }
.acmcp-bar > a:first-of-type { margin-inline-end: auto; color: inherit; }
.acmcp-bar button, .acmcp-bar .button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .25rem 1rem; border: 1px solid #7f8896; border-radius: .5rem; background: Canvas; color: CanvasText; cursor: pointer; }
.acmcp-bar :focus-visible { outline: .1875rem solid #2b4fd0; outline-offset: .125rem; }
.acmcp-bar .notice { flex-basis: 100%; }
`
