/** The questions of `acmcp init`, on a terminal that `script` of util-linux makes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'

const main = resolve(import.meta.dirname, '../../../cli/main.js')
const onlyLinux = { skip: process.platform === 'linux' ? false : '`script` has other options elsewhere' }

interface Clean {
  teardown(clean: () => void): void
}

interface Reply {
  /** What the terminal must have shown, after the last reply. */
  readonly shown: string
  readonly keys: string
}

const enter = '\r'
const down = '\u001b[B'
const interrupt = '\u0003'

/** The exit code and all that was shown. */
async function answered(
  t: Clean,
  cwd: string,
  args: string,
  replies: readonly Reply[],
): Promise<[number, string]> {
  const command = `stty cols 80 rows 24; exec ${process.execPath} ${main} init ${args}`
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => void child.kill('SIGKILL')) // where what a reply waits for never comes
  const left = [...replies]
  let text = ''
  let unseen = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    unseen += piece
    const [reply] = left
    if (reply === undefined || !unseen.includes(reply.shown)) return
    left.shift()
    unseen = ''
    child.stdin.write(reply.keys)
  })
  const [code] = await once(child, 'close')
  child.stdin.destroy()
  return [code, text]
}

function folder(t: Clean): string {
  const made = mkdtempSync(join(tmpdir(), 'acmcp-init-'))
  t.teardown(() => rmSync(made, { recursive: true, force: true }))
  return made
}

t.test('init: a terminal is asked for folder and content', onlyLinux, async (t) => {
  const root = folder(t)
  const [code, text] = await answered(t, root, '', [
    { shown: 'In which folder?', keys: enter },
    { shown: 'What to begin with?', keys: down + down + enter },
  ])
  t.equal(code, 0)
  t.match(text, 'one route, and a test')
  t.strictSame(readdirSync(join(root, 'app/controllers')), ['health.ts'])
})

t.test('init: what is given is not asked, with --yes nothing is', onlyLinux, async (t) => {
  const root = folder(t)
  const [code, text] = await answered(t, root, 'shop', [{ shown: 'What to begin with?', keys: enter }])
  t.equal(code, 0)
  t.notMatch(text, 'In which folder?')
  t.ok(existsSync(join(root, 'shop/app/controllers/notes.ts')))

  const [yes, shown] = await answered(t, root, 'other --yes', [])
  t.equal(yes, 0)
  t.notMatch(shown, 'What to begin with?')
  t.ok(existsSync(join(root, 'other/app/controllers/notes.ts')))
})

t.test('desk: a terminal is offered the help desk', onlyLinux, async (t) => {
  const root = folder(t)
  const [code, text] = await answered(t, root, 'desk', [{ shown: 'What to begin with?', keys: down + enter }])
  t.equal(code, 0)
  t.match(text, 'roles, files, events, reports')
  t.ok(existsSync(join(root, 'desk/app/controllers/tickets.ts')))
})

t.test('init: Ctrl-C writes nothing', onlyLinux, async (t) => {
  const root = folder(t)
  const [code, text] = await answered(t, root, 'shop', [{ shown: 'What to begin with?', keys: interrupt }])
  t.equal(code, 1)
  t.match(text, 'acmcp: nothing was written')
  t.strictSame(readdirSync(root), [])
})
