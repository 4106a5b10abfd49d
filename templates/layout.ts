/** The one frame of all pages. A page is a title, which is also its only `h1`, and content made of `blocks.ts`. */
import { type Html, html, trusted } from './html.ts'
import { type InlineSource, inlineSource, type StyleSheet, styleSheet } from './style.ts'

/** Whose page it is: stands at its head, and behind the title in the browser's tab. */
export interface Service {
  readonly name: string
  /** Where it is served. */
  readonly host: string
}

export interface PageOptions {
  readonly service: Service | null
  /** `narrow`: one card with a question; `wide`: content in cards of its own. Default: `narrow`. */
  readonly width: 'narrow' | 'wide'
  /** What the browser shows of the title, when it is not the heading. */
  readonly documentTitle: string | null
  readonly style: StyleSheet
  /** Allowed by its hash, like the sheet; such a page may also fetch from its own origin. Made by `pageScript`. */
  readonly script: InlineSource | null
  readonly footer: Html | null
}

const defaults: PageOptions = {
  service: null,
  width: 'narrow',
  documentTitle: null,
  style: styleSheet(),
  script: null,
  footer: null,
}

/** A script of ours for a page. It finds its elements by `data-` attributes and writes text, never markup: the policy of
 *  such a page demands trusted types and makes none. */
export const pageScript = (text: string): InlineSource => inlineSource(text)

/** A whole page: header, `main` with the heading and the content, footer. Without a script it runs none; nothing is loaded
 *  from anywhere. */
export function page(title: string, content: Html, options: Partial<PageOptions> = {}): string {
  const { service, width, documentTitle, style, script, footer } = { ...defaults, ...options }
  const shown = documentTitle ?? title
  const body = html`${service === null ? null : top(service)}<main>
<h1>${title}</h1>
${content}
</main>${footer === null ? null : html`\n<footer>${footer}</footer>`}`
  const name = service === null ? shown : `${shown} · ${service.name}`
  return frame({ title: name, style, script, body, bodyClass: width })
}

function top({ name, host }: Service): Html {
  const [first = ''] = name.toUpperCase().match(/[\p{L}\p{N}]/u) ?? []
  return html`<header class="top">
<span class="monogram" aria-hidden="true">${first}</span>
<span class="service"><strong>${name}</strong>${name === host ? null : html` <span class="muted">${host}</span>`}</span>
</header>
`
}

export interface FrameParts {
  readonly title: string
  readonly style: StyleSheet
  readonly body: Html
  readonly script?: InlineSource | null
  readonly bodyClass?: string
}

/** The document around a body. */
export function frame({ title, style, body, script = null, bodyClass = '' }: FrameParts): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(style.text)}</style>
</head>
<body${bodyClass === '' ? null : html` class="${bodyClass}"`}>
${body}
${script === null ? null : html`<script>${trusted(script.text)}</script>\n`}</body>
</html>
`
  return document.markup
}

/** No form-action: Chromium applies it to the redirect that answers the form, and consent redirects to the client. */
function policyOf(style: StyleSheet, script: InlineSource | null): string {
  const common = `default-src 'none'; style-src 'sha256-${style.hash}'; base-uri 'none'`
  if (script === null) return common
  const strict = "require-trusted-types-for 'script'; trusted-types 'none'"
  return `${common}; script-src 'sha256-${script.hash}'; connect-src 'self'; ${strict}`
}
