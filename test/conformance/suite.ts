/** The official conformance suite, which needs a newer Node than ours: both come from npm, in a folder of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installed } from '../support/installed.ts'

const packages: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  node: '24',
}

export interface Suite {
  /** Runs the suite, hands every line it prints to `onLine`, and answers its exit code. */
  run(args: readonly string[], onLine: (line: string) => void): Promise<number>
  /** Runs a command of the MCP Inspector package to its end. */
  inspector(command: 'mcp-inspector' | 'mcpdo', args: readonly string[]): Promise<Ran>
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const mains = {
  conformance: '@modelcontextprotocol/conformance/dist/index.js',
  'mcp-inspector': '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  mcpdo: '@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js',
} as const

/** The suite and the Inspector, installed when they are not there yet. */
export function installSuite(): Suite {
  const modules = installed('conformance', packages)
  const node = join(modules, 'node/bin/node')
  const home = mkdtempSync(join(tmpdir(), 'acmcp-inspector-'))
  return {
    run: (args, onLine) => run(node, [join(modules, mains.conformance), ...args], onLine),
    inspector: (command, args) => runToEnd(node, [join(modules, mains[command]), ...args], home),
  }
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

/** The Inspector keeps its sign-ins under the home folder: it gets one of its own. */
async function runToEnd(node: string, args: readonly string[], home: string): Promise<Ran> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, MCP_INSPECTOR_SECRET_STORE: 'file' }
  const child = spawn(node, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await ended
  return { code: typeof code === 'number' ? code : 1, stdout, stderr }
}
