/** The official conformance suite, which needs a newer Node than ours: both come from npm, in a folder of their own. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const packages: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  node: '24',
}

export interface Suite {
  /** Runs the suite, hands every line it prints to `onLine`, and answers its exit code. */
  run(args: readonly string[], onLine: (line: string) => void): Promise<number>
}

/** Installs the suite under `node_modules/.cache` unless it is there already. Needs the registry the first time. */
export function installSuite(): Suite {
  const folder = join(process.cwd(), 'node_modules/.cache/acmcp-conformance')
  const modules = join(folder, 'node_modules')
  const main = join(modules, '@modelcontextprotocol/conformance/dist/index.js')
  if (!existsSync(main)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  return { run: (args, onLine) => run(join(modules, 'node/bin/node'), [main, ...args], onLine) }
}

/** One thing that the suite looked at. */
export interface Check {
  readonly id: string
  readonly status: string
}

/** The checks of every scenario that a run with `-o folder` wrote down. */
export function checksIn(folder: string): readonly Check[] {
  return scenariosIn(folder).flatMap(({ checks }) => checks)
}

/** The same by scenario; the suite names folders `<mode>-<scenario>-<time>`. */
export function scenariosIn(folder: string): readonly { scenario: string; checks: readonly Check[] }[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      scenario: name.replace(/^(server|authorization)-/, '').replace(/-\d{4}-\d\d-\d\dT[-\dZ]+$/, ''),
      // the suite's own file: a list of checks
      checks: JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')),
    }))
}

async function run(node: string, args: readonly string[], onLine: (line: string) => void): Promise<number> {
  const child = spawn(node, [...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  for await (const line of createInterface({ input: child.stdout })) onLine(line)
  const [code] = await ended
  return typeof code === 'number' ? code : 1
}
