/** The application of this folder: built by `acmcp build` in a folder of its own, as a user would, and served without
 *  authentication of the endpoint. */
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Application, createApplication } from '../../runtime/boot/application.ts'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { freePort } from '../support/free-port.ts'
import { buildThere, linkPackage } from '../support/linked.ts'
import { surroundings } from '../support/surroundings.ts'
import { fixturePlugins } from './plugins.ts'

export interface Fixture {
  readonly application: Application
  /** The endpoint. */
  readonly url: string
}

/** Builds and serves the fixture application, with plugins if they are asked for. Throws with what `acmcp build` said when it cannot be built. */
export async function serveFixture(isPlugged = false): Promise<Fixture> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const bundle = await fixtureBundle()
  const served = isPlugged ? withPlugins(bundle) : bundle
  const application = await createApplication(served, surroundings(baseUrl))
  // As a new build does it: the lists of prompts and resources change in no other way.
  application.services.subscribe('new-build', () => application.streams.listsChanged())
  await application.server.listen({ port, host: 'localhost' })
  return { application, url: `${baseUrl}/mcp` }
}

/** The same application with Fastify plugins of its own. */
export const withPlugins = (bundle: AppBundle): AppBundle => ({
  ...bundle,
  config: { ...(bundle.config as object), plugins: fixturePlugins }, // a plain object, exported by app/config.ts
})

/** The bundle of the fixture application. */
export async function fixtureBundle(): Promise<AppBundle> {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-conformance-'))
  cpSync('test/conformance/app', join(root, 'app'), { recursive: true })
  writeFileSync(
    join(root, 'package.json'),
    '{"name":"fixture","version":"1.0.0","private":true,"type":"module"}',
  )
  linkPackage(root)
  buildThere(root)
  return loadBundle(root)
}
