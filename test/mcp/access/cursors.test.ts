/** Lists are kept for each set of permissions, and are nobody else's. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { createPermissions } from '../../../runtime/mcp/access/permission.ts'
import type { View } from '../../../runtime/mcp/tools/view.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { scopedApp, scopes, tokenOf, withCredential } from '../support/scoped.ts'
import {
  type App,
  catalogue,
  type Era,
  endpointOptions,
  message,
  requestOf,
  rpc,
  serve,
} from '../support/support.ts'

const eras: readonly Era[] = ['legacy', 'modern']
const all = '/mcp?toolboxes=all'

async function page(app: App, era: Era, credential: string, cursor?: string) {
  const sent = message(era, 'tools/list', cursor === undefined ? {} : { cursor })
  const answer = rpc(await app(withCredential({ ...sent, url: all }, credential)))
  return answer.result ?? answer.error
}

t.test('lists: private where scopes are declared, public where none are', async (t) => {
  for (const isSdkOnly of [false, true]) {
    for (const method of ['tools/list', 'server/discover']) {
      const scopeOf = async (app: App) =>
        rpc(await app(withCredential(message('modern', method), tokenOf(['api'])))).result.cacheScope
      t.equal(await scopeOf(serve(scopedApp(true, { isSdkOnly }).options)), 'private')
      t.equal(
        await scopeOf(serve(scopedApp(true, { isSdkOnly, scopes: createScopes({}) }).options)),
        'public',
      )
    }
  }
})

t.test('lists: a cursor is good for one set, on every instance', async (t) => {
  const [api, writer] = [tokenOf(['api']), tokenOf(['notes:write'])]
  for (const isSdkOnly of [false, true]) {
    const instance = (): App => serve(scopedApp(true, { listPageSize: 2, isSdkOnly }).options)
    for (const era of eras) {
      const [app, other] = [instance(), instance()]
      const { nextCursor } = await page(app, era, api)
      const own = await page(other, era, api, nextCursor)
      t.strictSame(
        own.tools.map(({ name }: { name: string }) => name),
        ['notes_show', 'notes_create'],
      )
      const sameSet = tokenOf(['notes:write', 'files:read'], { user: 'dev:eve', client: 'client-2' })
      t.strictSame(await page(app, era, sameSet, nextCursor), own, 'of whomever')
      for (const credential of [writer, 'key', tokenOf(['api', 'admin'])]) {
        t.equal((await page(app, era, credential, nextCursor)).code, -32602)
      }
    }
  }
})

t.test('lists: without declared scopes they are what they were, to the byte', async (t) => {
  const app = serve({ listPageSize: 3 })
  const texts: string[] = []
  for (const era of eras) {
    for (const sent of [{ ...message(era, 'tools/list'), url: all }, message(era, 'tools/list')]) {
      texts.push((await app(sent)).text)
    }
    for (const name of ['list_toolboxes', 'open_toolbox'])
      texts.push((await app(message(era, 'tools/call', { name, arguments: { name: 'notes' } }))).text)
  }
  texts.push((await app(message('modern', 'server/discover'))).text)
  // since every object has `properties` and x-mcp-header is of 2026 alone; until output schemas left the lists it was that of 4cd9385, before there were scopes. The SDK writes a part of it
  const then = '5d07b5fbc353e99eb32da9b998ef40c18f918112c7761f19faa2aeb5097bd067'
  t.equal(createHash('sha256').update(texts.join('\n')).digest('hex'), then)
})

t.test('lists: nobody gets what was kept for another, however many ask at once', async (t) => {
  const app = serve(scopedApp(true).options)
  const names = scopes.declared.map(({ name }) => name)
  const sets = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, place) => (bits >> place) % 2 === 1),
  )
  const shown = await Promise.all(
    [...sets, ...sets].map(async (set, place) => {
      const era = eras[place % 2] ?? 'modern'
      const { tools } = await page(app, era, tokenOf(set, { user: `dev:${place % 7}` }))
      return tools.map(({ name }: { name: string }) => name)
    }),
  )
  const expected = sets.map((set) => {
    const has = scopes.resolve(set)
    const needs: Readonly<Record<string, readonly string[]>> = {
      notes_index: ['notes:read'],
      notes_show: ['notes:read'],
      notes_create: ['notes:write'],
      notes_import: ['notes:write', 'admin'],
      notes_delete: ['notes:write', 'notes:delete'],
      files_answer: ['files:read'],
    }
    const own = catalogue.tools.map(({ name }) => name)
    return own.filter((name) => needs[name]?.every((scope) => has.includes(scope)) ?? true)
  })
  t.strictSame(shown, [...expected, ...expected])
})

t.test('lists: 64 sets are kept, least recently used out', async (t) => {
  const many = createScopes(Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`s${at}`, `Do ${at}`])))
  const { services } = endpointOptions()
  const permissionOf = createPermissions({
    catalogue,
    version: 'v',
    scopes: many,
    scopeOf: ({ name }) => (name === 'users_current' ? undefined : { names: ['s0'], unless: [] }),
    isChanging: () => false,
    listed: 'permitted',
    isOpen: false,
    userOfSession: services.userOfSession,
  })
  const viewOf = async (set: readonly string[], user = 'u') => {
    const auth = {
      user: { id: user, name: '', email: null },
      subject: user,
      clientId: null,
      grantId: null,
      scopes: set,
      expiresAt: 1,
    }
    return (await permissionOf({ request: requestOf({}), caller: { key: user, auth } })).view
  }
  const views = new Map<string, View>()
  for (let at = 0; at < 64; at += 1) views.set(`s${at}`, await viewOf([`s${at}`]))
  t.equal(await viewOf(['s0'], 'another'), views.get('s0'), 'one for all who may do the same')
  await viewOf(['s64'])
  t.equal(await viewOf(['s0']), views.get('s0'), 'used again, and kept')
  t.equal(await viewOf(['s2']), views.get('s2'))
  const again = await viewOf(['s1'])
  t.not(again, views.get('s1'), 'the one that was used longest ago is made anew')
  t.strictSame(
    [again.version, again.lists.all.map(({ name }) => name)],
    [views.get('s1')?.version, ['users_current']],
  )
})
