/** `acmcp dev` as a process: its environment, what keeps it from starting, and how it ends. */
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { acmcp, folderOf, write } from '../cli/support/built-app.ts'
import { action, controller, notes } from './support/dev-notes.ts'
import { ask, spawnDev, startDev } from './support/dev-process.ts'

t.setTimeout(300_000) // a busy machine

const environment = `
  /**
   * Tells variables.
   *
   * @get /environment
   */
  environment(): string {
    return [process.env.LEFT, process.env.RIGHT, process.env.DEV_LOGIN].join()
  }
`

for (const [signal, whom, port] of [
  ['SIGTERM', 'the parent alone', {}],
  ['SIGINT', 'all of its group, as a terminal does', { PORT: '0' }],
] as const) {
  t.test(
    `dev: .env is read, variables that are set win; ${signal} to ${whom} ends it in order with 0; ${JSON.stringify(port)}`,
    async (t) => {
      const dev = await startDev(
        t,
        { [notes]: controller(environment), '.env': '# ours\nLEFT=file\nRIGHT="the file"\nDEV_LOGIN=1\n' },
        { LEFT: 'set', ...port },
      )
      const { process: parent, gone } = dev
      const [said = ''] = (await dev.until('MCP endpoint')).slice(-1)
      const baseUrl = 'PORT' in port ? (/http:[^ ]+(?=\/mcp)/.exec(said)?.[0] ?? said) : dev.baseUrl
      const metadata = (await ask(`${baseUrl}/.well-known/oauth-authorization-server`))[2]
      t.equal(JSON.parse(String(metadata)).issuer, baseUrl)
      t.equal((await ask(`${baseUrl}/api/notes/environment`))[2], '"set,the file,1"')
      t.equal((await ask(`${baseUrl}/auth/dev`))[0], 303, 'DEV_LOGIN signs in')
      const stream = await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
      process.kill(signal === 'SIGINT' ? -Number(parent.pid) : Number(parent.pid), signal)
      t.equal(await stream.text(), '')
      t.strictSame(await gone, [0, null])
      await t.rejects(ask(baseUrl), { code: 'ECONNREFUSED' })
    },
  )
}

t.test(
  'acmcp dev: what must not start is one clear line and exit code 1, before anything is built',
  async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.teardown(() => taken.close())
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const production =
      'acmcp: dev is for development: in production acmcp build and acmcp serve take its place\n'
    const root = folderOf(t, { [notes]: controller(action('first')) })
    const refused = async (env: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
      const child = spawnDev(t, root, { env })
      return Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close').then(([code]) => code),
      ])
    }
    t.strictSame(await refused({ NODE_ENV: 'production' }), ['', production, 1])
    t.strictSame(await refused({ PORT: String(port) }), [
      '',
      `acmcp: port ${port} of 127.0.0.1 is taken: stop what listens there, or set PORT to another\n`,
      1,
    ])
    t.strictSame(await refused({ HOST: '0.0.0.0', DEV_LOGIN: '1' }), [
      '',
      'acmcp: DEV_LOGIN signs anybody in: it is refused in production and off loopback\n',
      1,
    ])
    write(root, '.env', 'NODE_ENV=production\n')
    t.strictSame(await refused({}), [
      '',
      'acmcp: .env says NODE_ENV=production, but production reads no .env: set it in the environment\n',
      1,
    ])
    const other = folderOf(t, {})
    mkdirSync(join(other, '.env'))
    const child = spawnDev(t, other, { env: {} })
    t.strictSame(await Promise.all([text(child.stderr), once(child, 'close')]), [
      'acmcp: .env cannot be read (EISDIR)\n',
      [1, null],
    ])
    t.equal(
      acmcp(root, 'serve', '--worker').stderr,
      'acmcp: serve --worker is started by serve --workers, serve --watch and dev\n',
    )
    t.strictSame([existsSync(join(root, 'generated')), existsSync(join(root, '.acmcp'))], [false, false])
  },
)
