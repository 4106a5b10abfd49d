/** Traces that lead to the application: before its bundle is loaded, for the maps of a module are read with it. */

/** Database errors begin with a dozen frames of libsql, acmcp and Kysely. */
const frames = 50

/** Names the application's sources in traces, and makes them long enough to reach these. */
export function traceSources(): void {
  process.setSourceMapsEnabled(true)
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, frames)
}
