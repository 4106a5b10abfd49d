/** The real browser of tests: one for all suites of a process. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const hasBrowser = existsSync(executablePath) || process.env.ACMCP_NOTHING_SKIPPED === '1'

/** Why there is none, for `skip`; in CI (`ACMCP_NOTHING_SKIPPED`) a missing browser fails instead. */
export const noBrowser: string | false = hasBrowser
  ? false
  : `no browser at ${executablePath}: apt-get install chromium`

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--in-process-gpu',
  // it reaches nothing but this machine, whatever asks for it
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
  // text has grey edges and no hinting, and nothing depends on how bars to scroll look
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--hide-scrollbars',
]

let launched: Promise<Browser> | null = null

/** Started when it is first asked for; it ends with the process. */
export function sharedChromium(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath, args: flags })
  return launched
}

/** At the end of a suite: the next one finds nothing that this one has opened. */
export async function leaveChromium(): Promise<void> {
  const browser = await launched
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
  if (process.channel !== undefined) return
  await browser?.close() // the suite is run alone: the process ends with it
  launched = null
}
