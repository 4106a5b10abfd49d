/** The application of this folder: built by `acmcp build` in a folder of its own, as a user would, and served without
 *  authentication of the endpoint. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Application, createApplication } from '../../runtime/application.ts'
import { loadBundle } from '../../runtime/bundle.ts'
import type { AppBundle, Catalogue, JsonSchema, ToolEntry } from '../../runtime/contract.ts'
import { freePort } from '../flow/support.ts'

export interface Fixture {
  readonly application: Application
  /** The endpoint. */
  readonly url: string
}

/** Builds and serves the fixture application. Throws with what `acmcp build` said when it cannot be built. */
export async function serveFixture(): Promise<Fixture> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const application = await createApplication(await fixtureBundle(), {
    environment: {
      production: false,
      host: '127.0.0.1',
      port,
      baseUrl,
      databaseUrl: 'sqlite::memory:',
      jwtPrivateKeys: [],
      jwtSecrets: [randomBytes(32).toString('hex')],
      sessionSecrets: [randomBytes(32).toString('hex')],
      devLogin: false,
      logLevel: 'silent',
    },
    migrate: true,
    clock: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
  })
  await application.server.listen({ port, host: 'localhost' })
  return { application, url: `${baseUrl}/mcp` }
}

/** The bundle of the fixture application. */
export async function fixtureBundle(): Promise<AppBundle> {
  const bundle = await loadBundle(buildFixture(process.cwd()))
  return { ...bundle, catalogue: withWrittenSchema(bundle.catalogue) }
}

function buildFixture(repository: string): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-conformance-'))
  cpSync(join(repository, 'test/conformance/app'), join(root, 'app'), { recursive: true })
  writeFileSync(
    join(root, 'package.json'),
    '{"name":"fixture","version":"1.0.0","private":true,"type":"module"}',
  )
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(repository, join(root, 'node_modules/acmcp'))
  symlinkSync(join(repository, 'node_modules/@types'), join(root, 'node_modules/@types'))
  const main = join(repository, 'dist/cli/main.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'build'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the fixture application does not build:\n${stdout}${stderr}`)
  return root
}

/** The tool whose schema says what no TypeScript type does. */
function withWrittenSchema(catalogue: Catalogue): Catalogue {
  const tools = catalogue.tools.map(
    (tool): ToolEntry =>
      tool.name === 'json_schema_2020_12_tool' ? { ...tool, inputSchema: jsonSchema2020 } : tool,
  )
  return { ...catalogue, tools }
}

const text = { type: 'string' }

/** As the suite gives it. */
const jsonSchema2020: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: text, city: text } } },
  properties: {
    name: text,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: text,
    email: text,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
