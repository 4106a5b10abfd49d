/** The command line itself: what was perhaps meant, the version. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { acmcp } from '../support/built-app.ts'

t.test('the nearest command or option on a typo, with exit code 2', async (t) => {
  const said = (...args: readonly string[]): readonly unknown[] => {
    const { status, stdout, stderr } = acmcp('.', ...args)
    return [status, stdout, ...stderr.split('\n').slice(0, 2)]
  }
  t.strictSame(said('rotes'), [2, '', "error: unknown command 'rotes'", '(Did you mean routes?)'])
  t.strictSame(said('store', 'bakcup'), [2, '', "error: unknown command 'bakcup'", '(Did you mean backup?)'])
  t.strictSame(said('tools', '--tokns'), [
    2,
    '',
    "error: unknown option '--tokns'",
    '(Did you mean --tokens?)',
  ])
  t.strictSame(said('call', 'a', '--jsno'), [
    2,
    '',
    "error: unknown option '--jsno'",
    '(Did you mean --json?)',
  ])
  const formats =
    "error: option '--format <format>' argument 'xml' is invalid. Allowed choices are text, json, github."
  t.strictSame(said('build', '--format', 'xml'), [2, '', formats, ''])
})

t.test('--version is that of the package', async (t) => {
  const { version }: { version: string } = JSON.parse(readFileSync(join('package.json'), 'utf8'))
  t.strictSame(acmcp('.', '--version'), { status: 0, stdout: `${version}\n`, stderr: '' })
})

t.test('who reads the output may leave: no stack, and the command ends as it would', async (t) => {
  for (const [args, code] of [
    [['explain', '@get'], 0],
    [['--help'], 0],
    [['explain', 'nothing-of-the-kind'], 2],
  ] as const) {
    const child = spawn(process.execPath, ['dist/cli/main.js', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const [reported] = await Promise.all([text(child.stderr), once(child, 'close')])
    t.strictSame([child.exitCode, /EPIPE|node:/.test(reported)], [code, false], args.join(' '))
  }
})
