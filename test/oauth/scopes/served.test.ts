/** Consent with scopes in the application itself: its sessions, its forms, its database. */
import t from 'tap'
import type { ScopeConfig } from '../../../runtime/contract/scopes.ts'
import { databaseOf } from '../../../runtime/store/database.ts'
import { type ConsentForm, readConsent } from '../support/consent-form.ts'
import { authorizeUrl, openScene, postToken, redemption } from '../support/scene.ts'

interface Tables {
  readonly members: { readonly user_id: string }
}

const odd = `a&b=c+d%20;e'<f>`

const scopes: Readonly<Record<string, string | ScopeConfig>> = {
  [odd]: 'Do odd things',
  'notes:read': 'See your notes',
  'notes:share': {
    text: 'Share notes',
    mayHave: async ({ id }, services) => {
      const members = databaseOf<Tables>(services).selectFrom('members').select('user_id')
      return (await members.where('user_id', '=', id).executeTakeFirst()) !== undefined
    },
  },
}

/** As a browser encodes it. */
const ticked = ({ hidden, ticks }: ConsentForm): Record<string, string> => ({
  ...hidden,
  ...Object.fromEntries(ticks.map(({ field }) => [field, 'on'])),
  decision: 'allow',
})

t.test(
  'served: names of any kind come through forms, and mayHave asks the application’s own table',
  async (t) => {
    const scene = await openScene(t, {
      change: (bundle) => ({ ...bundle, config: { ...Object(bundle.config), scopes } }),
    })
    const { client, app, request } = scene
    await databaseOf<Tables>(app.services)
      .schema.createTable('members')
      .addColumn('user_id', 'text')
      .execute()
    await client.signIn({ id: 'acme:ada', name: 'Ada', email: null })
    const page = async (scope: string): Promise<ConsentForm> => {
      const { statusCode, headers, body } = await client.get(authorizeUrl({ ...request, scope }))
      return readConsent({
        status: statusCode,
        headers: { 'content-type': String(headers['content-type']) },
        body,
      })
    }
    const requested = `${odd} notes:share`
    const first = await page(requested)
    t.strictSame(
      first.ticks.map(({ field }) => field),
      [`allow:${odd}`],
    )
    await databaseOf<Tables>(app.services).insertInto('members').values({ user_id: 'acme:ada' }).execute()
    const outdated = await client.submit('/oauth/authorize', ticked(first))
    t.strictSame([outdated.statusCode, outdated.body.includes('Please answer again.')], [200, true])
    const { headers } = await client.submit('/oauth/authorize', ticked(await page(requested)))
    const code = new URL(String(headers.location)).searchParams.get('code') ?? ''
    const answer = (await postToken(scene, redemption(scene, code))).json()
    t.equal(answer.scope, requested)
    const { token_type, expires_in } = answer
    t.strictSame([token_type, expires_in], ['Bearer', 3600])
    const own = await app.application.developmentToken('acme:ada')
    t.strictSame(own.scope, 'api')
  },
)
