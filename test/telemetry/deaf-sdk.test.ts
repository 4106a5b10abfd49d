/** An SDK that was registered with an older copy of the API, which that of acmcp does not take. A process of its own: nothing else is
 *  registered. Source: OpenTelemetry API for JavaScript, `isCompatible`. */
import t, { type Test } from 'tap'
import { openTestApp } from '../../runtime/testing.ts'

const registered = Symbol.for('opentelemetry.js.api.1')

/** What a start says at `warn` and above, with that in the place of the API's record. */
async function warnings(t: Test, record: object, mode = 'native'): Promise<readonly unknown[]> {
  Reflect.set(globalThis, registered, record)
  t.teardown(() => Reflect.deleteProperty(globalThis, registered))
  const written: string[] = []
  const app = await openTestApp({
    environment: { logLevel: 'warn' },
    logStream: { write: (line) => void written.push(line) },
    change: (bundle) => ({ ...bundle, config: { ...Object(bundle.config), telemetry: { mode } } }),
  })
  t.equal((await app.client().get('/health')).statusCode, 200)
  await app.close()
  return written.map((line) => {
    const { level, msg } = JSON.parse(line)
    return { level, msg }
  })
}

const older = { version: '1.3.0', trace: { getTracer: () => ({}) } }

t.test('an SDK that cannot be heard is told of when the application starts', async (t) => {
  const msg =
    'the OpenTelemetry SDK that is registered uses @opentelemetry/api 1.3.0, older than that of acmcp: it hears nothing. Install one version for both (npm ls @opentelemetry/api)'
  t.strictSame(await warnings(t, older), [{ level: 40, msg }])
  t.strictSame(await warnings(t, older, 'propagation'), [{ level: 40, msg }])
})

t.test('nothing is said of an SDK that nobody wants, and of one without spans', async (t) => {
  t.strictSame(await warnings(t, older, 'off'), [])
  t.strictSame(await warnings(t, { version: '1.3.0' }), [])
})
