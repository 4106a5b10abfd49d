/** Clients that we did not write use prompts, resources and completions. */
import t from 'tap'
import { clientKinds, signedIn } from '../../flow/client-kinds.ts'
import { freePort } from '../../support/free-port.ts'
import { openGuarded } from '../support/guarded.ts'
import { buildTrips } from './trips.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildTrips()

for (const kind of clientKinds) {
  t.test(`clients: ${kind.name} lists, gets, reads and completes`, async (t) => {
    const port = await freePort()
    const baseUrl = `http://localhost:${port}`
    const { app } = await openGuarded(t, bundle, { baseUrl, config: { mcp: { authProbe: 'trips_me' } } })
    await app.application.server.listen({ port, host: 'localhost' })
    const { client } = await signedIn(kind, baseUrl)
    const { prompts } = await client.listPrompts()
    const { messages } = await client.getPrompt({
      name: 'trips_plan',
      arguments: { city: 'Bern', days: '2' },
    })
    const { resources } = await client.listResources()
    const { resourceTemplates } = await client.listResourceTemplates()
    const { contents } = await client.readResource({ uri: 'trips://7' })
    const ref = { type: 'ref/prompt', name: 'trips_plan' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'city', value: 'Be' } })
    t.strictSame(
      {
        prompts: prompts.map(({ name }) => name),
        resources: resources.map(({ uri }) => uri),
        templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        contents,
        values: completion.values,
      },
      {
        prompts: ['trips_packing', 'trips_plan', 'trips_asking', 'trips_broken'],
        resources: ['trips://places'],
        templates: [
          'trips://{id}',
          `${baseUrl}/trips/{id}/photo`,
          'trips://{id}/files/{+path}{?lines,upper}',
        ],
        contents: [
          {
            ...{ uri: 'trips://7', mimeType: 'application/json', text: '{"id":7}' },
            _meta: { etag: 'W/"o8kOO3RI0j2erOvQ6_Fcrh"' },
          },
        ],
        values: ['Bern'],
      },
    )
    t.match(messages, [
      { content: { text: /^2 slow days in Bern for dev:/ } },
      { content: { type: 'image' } },
    ])
    await t.rejects(client.readResource({ uri: 'trips://0' }), /Resource not found/)
    await t.rejects(client.readResource({ uri: 'trips://401' }), /Server returned 401 after/)
    await client.close()
  })
}
