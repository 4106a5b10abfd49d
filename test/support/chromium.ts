/** The real browser of tests. */
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
]

export const launchChromium = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...flags, ...more] })
