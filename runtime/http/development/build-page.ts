/** What the last build of `acmcp dev` said: a page for browsers, text for others. Development only. */
import { buildPage } from '../../../templates/pages/build.ts'
import type { BuildReport, Mistake, MistakeFrame } from '../../contract/build-report.ts'
import type { HeaderMap, HttpResponse } from '../../contract/http.ts'
import { hostTest, loopbackNames } from '../../loopback.ts'
import { negotiate } from '../output/negotiate.ts'
import { ownHeaders } from '../output/security-headers.ts'
import { foreignHostResponse } from '../server/own-host.ts'

const isOwnHost = hostTest(loopbackNames)

/** The report with `status`; 403 for a client that names another host than ours. `isServing`: whether an application serves, one of an earlier
 *  build perhaps. */
export function buildReportResponse(
  report: BuildReport,
  headers: HeaderMap,
  { status, isServing }: { readonly status: number; readonly isServing: boolean },
): HttpResponse {
  if (!isOwnHost(headers.host)) return foreignHostResponse
  const view = viewOf(report, isServing)
  const [type, body] = isBrowser(headers) ? ['text/html', buildPage(view)] : ['text/plain', textOf(view)]
  const sent = { 'content-type': `${type}; charset=utf-8`, ...ownHeaders }
  // a browser asks again by itself: the first build takes a second or two
  return { status, headers: report.kind === 'building' ? { ...sent, refresh: '1' } : sent, body }
}

/** It names HTML; what takes anything reads text more easily. */
const isBrowser = ({ accept }: HeaderMap): boolean =>
  typeof accept === 'string' &&
  /\btext\/html\b/i.test(accept) &&
  negotiate(accept, ['text/html', 'text/plain']) === 'text/html'

type View = Parameters<typeof buildPage>[0]

function viewOf(report: BuildReport, isServing: boolean): View {
  const served = isServing ? 'The last good build is served meanwhile.' : 'Nothing is served until then.'
  switch (report.kind) {
    case 'building':
      return { title: 'The application is being built', texts: ['It answers in a moment.'], mistakes: [] }
    case 'built':
      return { title: 'The last build succeeded', texts: [], mistakes: report.mistakes.map(shown) }
    case 'failed': {
      const texts = [`Save a correction, and it is built again. ${served}`]
      return { title: 'The build failed', texts, mistakes: report.mistakes.map(shown) }
    }
    case 'refused': {
      const texts = [...report.why.split('\n'), `Save a correction, and it is built again. ${served}`]
      return { title: 'The application does not start', texts, mistakes: [] }
    }
    default:
      return report satisfies never
  }
}

const shown = ({ frame, ...mistake }: Mistake): View['mistakes'][number] => ({
  ...mistake,
  frame: frame === null ? null : frameText(frame),
})

/** The lines with their numbers, and a mark below the one. */
function frameText({ lines, line, indent }: MistakeFrame): string {
  const width = String(lines.at(-1)?.number ?? 0).length
  return lines
    .flatMap(({ number, text }) => {
      const numbered = `${String(number).padStart(width)} | ${text}`.trimEnd()
      return number === line ? [numbered, `${' '.repeat(width)} | ${' '.repeat(indent)}^`] : [numbered]
    })
    .join('\n')
}

function textOf({ title, texts, mistakes }: View): string {
  const parts = mistakes.map(({ severity, code, message, hint, place, frame }) =>
    [
      `${place === null ? '' : `${place} - `}${severity} ${code}: ${message}`,
      ...(frame === null ? [] : frame.split('\n').map((line) => `  ${line}`)),
      `  ${hint}`,
    ].join('\n'),
  )
  return `${[title, ...(texts.length === 0 ? [] : [texts.join('\n')]), ...parts].join('\n\n')}\n`
}
