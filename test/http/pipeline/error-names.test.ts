/** What logs call our error classes, and that answers say nothing of it. */
import t from 'tap'
import * as surface from '../../../runtime/index.ts'
import { listening } from '../support/raw.ts'

class Gone extends surface.NotFound {}

const waiting = {
  id: 'a',
  url: '/',
  expiresAt: 0,
  sentence: '',
  isNew: true,
  differsIn: null,
}

const raised: Readonly<Record<string, Error>> = {
  ApprovalRefused: new surface.ApprovalRefused('denied'),
  ApprovalRequired: new surface.ApprovalRequired(waiting),
  AuthServerError: new surface.AuthServerError('invalid_grant'),
  ConfigError: new surface.ConfigError('wrong'),
  Conflict: new surface.Conflict(),
  Forbidden: new surface.Forbidden(),
  IdempotencyRefused: new surface.IdempotencyRefused('running'),
  InputRequired: new surface.InputRequired({}),
  JsonParseError: new surface.JsonParseError(),
  MissingError: new surface.MissingError('a', 'string'),
  NotAcceptable: new surface.NotAcceptable([]),
  NotFound: new surface.NotFound(),
  ParamError: new surface.ParamError('wrong', 'a', 'string'),
  PayloadTooLarge: new surface.PayloadTooLarge(1),
  RouteError: new surface.RouteError('wrong', []),
  SignInRefused: new surface.SignInRefused('unknown'),
  TooManyRequests: new surface.TooManyRequests(1),
  Unauthorized: new surface.Unauthorized(),
  UnsupportedMediaType: new surface.UnsupportedMediaType([]),
  ValueError: new surface.ValueError('a', 'string'),
  Gone: new Gone(),
  Cause: new Error('outside', { cause: new surface.Forbidden() }),
}

const exported = Object.entries(surface)
  .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
  .map(([name]) => name)

t.test('the log of an unhandled exception names its class, and so do its causes', async (t) => {
  t.strictSame(Object.keys(raised).sort(), [...exported, 'Cause', 'Gone'].sort())
  const {
    PayloadTooLarge: _answered,
    TooManyRequests: _alsoAnswered,
    InputRequired: _asked,
    ApprovalRefused: _denied,
    ApprovalRequired: _waiting,
    IdempotencyRefused: _running,
    ...unhandled
  } = raised
  const lines: string[] = []
  let next = new Error()
  const { app } = await listening(
    {},
    {
      call: () => {
        throw next
      },
      environment: { production: true, logLevel: 'error' },
      logStream: { write: (line) => lines.push(line) },
    },
  )
  t.teardown(app.close)
  for (const error of Object.values(unhandled)) {
    next = error
    const { statusCode, body } = await app.client().get('/health')
    t.strictSame([statusCode, body], [500, '{}'])
  }
  const logged = lines.map((line) => JSON.parse(line).err)
  const names = Object.keys(unhandled).map((name) => (name === 'Cause' ? 'Error' : name))
  t.strictSame(
    logged.map(({ type, stack }) => [type, /^\w+/.exec(stack)?.[0]]),
    names.map((name) => [name, name]),
  )
  t.match(logged.at(-1).stack, /^caused by: Forbidden: forbidden$/m)
})

t.test(
  'what answers make of an error is as it was: no field more, the same first line of a trace',
  async (t) => {
    const error = new surface.NotFound('gone')
    t.strictSame([JSON.stringify(error), Object.keys(error)], ['{}', []])
    const { error: message, backtrace } = new surface.CommonResponse(error)
    t.strictSame([message, backtrace?.[0]], ['gone', 'Error: gone'])
  },
)
