/** The command line itself: completion, what was perhaps meant, the version. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { acmcp } from '../support/built-app.ts'

const commands = (): readonly string[] =>
  [...acmcp('.', '--help').stdout.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name = '']) => name)

t.test('completion: bash completes commands, options and choices', async (t) => {
  const { stdout: script } = acmcp('.', 'completion', 'bash')
  const completed = (...words: readonly string[]): readonly string[] => {
    const { stdout, stderr } = spawnSync(
      'bash',
      [
        '-c',
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _acmcp; echo "\${COMPREPLY[*]}"`,
        'bash',
        'acmcp',
        ...words,
      ],
      { encoding: 'utf8' },
    )
    t.equal(stderr, '')
    return stdout.trim().split(' ')
  }
  const known = commands().filter((name) => name !== 'help')
  t.ok(known.includes('completion') && known.length > 9)
  t.strictSame(completed(''), [...known, '--version', '--help'])
  t.strictSame(completed('bu'), ['build'])
  t.strictSame(completed('store', 'm'), ['migrate'])
  t.strictSame(completed('build', '--format', ''), ['text', 'json', 'github'])
  t.strictSame(completed('build', '--check', '--o'), ['--openapi', '--overwrite'])
  t.strictSame(completed('build', '--c'), ['--check', '--client'])
  t.strictSame(completed('build', '--client', '--to'), ['--tools'])
  t.strictSame(completed('explain', 'build', '--'), ['--json', '--help'], 'of explain, not of build')
  t.strictSame(completed('completion', ''), ['bash', 'zsh', '--help'])
})

const hasZsh = spawnSync('zsh', ['-c', 'exit 0']).status === 0

t.test(
  'completion: zsh is told the same, with descriptions',
  { skip: hasZsh ? false : 'zsh is not installed' },
  async (t) => {
    const { stdout: script } = acmcp('.', 'completion', 'zsh')
    const completed = (...words: readonly string[]): readonly string[] => {
      // what the widget would offer is printed in its place
      const around = `compdef() {}\n_describe() { print -rl -- "\${(@P)2}"; }\n_files() {}\n${script}`
      const { stdout, stderr } = spawnSync(
        'zsh',
        ['-f', '-c', `${around}\nwords=("$@"); CURRENT=$#; _acmcp`, 'zsh', 'acmcp', ...words],
        { encoding: 'utf8' },
      )
      t.equal(stderr, '')
      return stdout.trimEnd().split('\n')
    }
    t.strictSame(
      completed('').map((line) => line.split(':')[0]),
      [...commands().filter((name) => name !== 'help'), '--version', '--help'],
    )
    t.strictSame(completed('build', '--openapi', ''), ['3.1', '3.0'])
    t.strictSame(completed('store', 'backup', ''), ['--help:display help'])
    t.strictSame(completed('completion', ''), ['bash', 'zsh', '--help:display help'])
    t.ok(
      completed('build', '').includes("--typecheck:also run the application's own tsc --noEmit"),
      'an apostrophe is no end',
    )
  },
)

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
  const shells =
    "error: command-argument value 'fish' is invalid for argument 'shell'. Allowed choices are bash, zsh."
  t.strictSame(said('completion', 'fish'), [2, '', shells, ''])
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
    const [told] = await Promise.all([text(child.stderr), once(child, 'close')])
    t.strictSame([child.exitCode, /EPIPE|node:/.test(told)], [code, false], args.join(' '))
  }
})
