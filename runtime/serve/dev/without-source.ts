/** What a report says where other machines reach the server: any of them can name `localhost` in a `Host` header. */
import type { BuildReport, Mistake } from '../../contract/build-report.ts'

/** The report without lines of the source, places in it, and texts of the application. */
export function withoutSource(report: BuildReport): BuildReport {
  switch (report.kind) {
    case 'building':
      return report
    case 'built':
    case 'failed':
      return { ...report, mistakes: report.mistakes.map(withoutPlace) }
    case 'refused':
      return { ...report, why: 'The terminal says why.' }
    default:
      return report satisfies never
  }
}

const withoutPlace = (mistake: Mistake): Mistake => ({ ...mistake, place: null, frame: null })
