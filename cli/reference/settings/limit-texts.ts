/** What the settings of limits mean, by path. */
import type { SettingText } from './setting-text.ts'

const bytes = 'bytes'
const seconds = 'seconds'
const hourly = 'requests per address and hour; false switches it off'
const off = '; false switches it off'

const limit = (meaning: string, unit: string, example: string, at: string): SettingText => ({
  meaning,
  unit,
  example,
  at,
})

export const limitTexts: Readonly<Record<string, SettingText>> = {
  'limits.bodyBytes': limit(
    'A body that is read as a whole, and all fields of a multipart form together. Above it the answer is 413.',
    bytes,
    '5 * 1024 * 1024',
    'bodyLimits.bodyBytes',
  ),
  'limits.headerBytes': limit(
    'All header lines of a request together. Above it the answer is 431.',
    bytes,
    '32 * 1024',
    'httpLimits.headerBytes',
  ),
  'limits.urlBytes': limit(
    'The address of a request. Above it the answer is 414.',
    bytes,
    '4 * 1024',
    'httpLimits.urlBytes',
  ),
  'limits.headersSeconds': limit(
    'How long the headers of a request may take. After it the answer is 408.',
    seconds,
    '10',
    'httpLimits.headersSeconds',
  ),
  'limits.requestSeconds': limit(
    'How long a whole request may take to arrive, its body included. After it the answer is 408.',
    seconds,
    '300',
    'httpLimits.requestSeconds',
  ),
  'limits.keepAliveSeconds': limit(
    'How long an idle connection is kept. Longer than that of a proxy in front.',
    seconds,
    '90',
    'httpLimits.keepAliveSeconds',
  ),
  'limits.fileBytes': limit(
    'One uploaded file. Above it the answer is 413.',
    bytes,
    '100 * 1024 * 1024',
    'bodyLimits.fileBytes',
  ),
  'limits.files': limit('Files of one multipart form; 0 takes none.', 'files', '3', 'bodyLimits.files'),
  'limits.fields': limit('Fields of one multipart form.', 'fields', '100', 'bodyLimits.fields'),
  'limits.fieldBytes': limit('One field of a multipart form.', bytes, '64 * 1024', 'bodyLimits.fieldBytes'),
  'limits.registerPerHour': limit(
    'Registrations of OAuth clients.',
    hourly,
    '60',
    'rateLimits.registerPerHour',
  ),
  'limits.authorizePerHour': limit(
    'Authorization and sign-in pages.',
    hourly,
    '600',
    'rateLimits.authorizePerHour',
  ),
  'limits.tokenPerHour': limit('Token and revocation requests.', hourly, '600', 'rateLimits.tokenPerHour'),
  'limits.routeCalls': limit(
    'Calls of one route by one user, or by one address where nobody is known, where the route has no `@limit`: as the tag has it, `600/min`. Routes with `@options` take no default.',
    `calls per s, min, h or day${off}`,
    "'600/min'",
    'routeLimits.routeCalls',
  ),
  'limits.routeSeconds': limit(
    'How long a route may take until its answer begins, where it has no `@timeout`. After it the answer is 503.',
    `seconds${off}`,
    '30',
    'routeLimits.routeSeconds',
  ),
  'limits.stallSeconds': limit(
    'How long the event loop of `acmcp serve` may stand still before a line at `error` says what runs. With `--workers` the worker is replaced after three times as long.',
    `seconds${off}`,
    '30',
    'stallSeconds',
  ),
  'limits.toolCallsPerMinute': limit(
    'Tool calls of a user; of accepted credentials that are no token of ours; of an address where nobody was accepted. Every other message counts too, by itself: as many a minute, 600 at least.',
    `calls per minute${off}`,
    '600',
    'toolLimits.toolCallsPerMinute',
  ),
  'limits.concurrentToolCalls': limit(
    'Tool calls of all clients together that run at once, in this instance.',
    `calls${off}`,
    '200',
    'toolLimits.concurrentToolCalls',
  ),
  'limits.concurrentToolCallsPerUser': limit(
    'The same of one user.',
    `calls${off}`,
    '20',
    'toolLimits.concurrentToolCallsPerUser',
  ),
  'limits.toolCallSeconds': limit(
    "How long a tool call may run. After it the model gets an error, and the route's `request.signal` aborts.",
    `seconds${off}`,
    '60',
    'toolLimits.toolCallSeconds',
  ),
  'limits.taskSeconds': limit(
    "How long a task may run. After it its result is an error, and the route's `request.signal` aborts.",
    `seconds${off}`,
    '600',
    'taskLimits.taskSeconds',
  ),
  'limits.taskKeptSeconds': limit(
    'How much longer a task is kept than it may run: its `ttlMs` is both together. It may run for a day where `taskSeconds` is false.',
    'seconds',
    '86400',
    'taskLimits.taskKeptSeconds',
  ),
  'limits.concurrentTasks': limit(
    'Tasks of all clients together that run at once, in this instance.',
    `tasks${off}`,
    '20',
    'taskLimits.concurrentTasks',
  ),
  'limits.tasksPerUser': limit(
    'Tasks of one user that have not ended, on all instances together.',
    `tasks${off}`,
    '5',
    'taskLimits.tasksPerUser',
  ),
  'limits.keptTasksPerUser': limit(
    'The same, with those that have ended and are kept.',
    `tasks${off}`,
    '100',
    'taskLimits.keptTasksPerUser',
  ),
  'limits.streamsPerUser': limit(
    'Open notification streams of one user, in this instance.',
    `streams${off}`,
    '10',
    'toolLimits.streamsPerUser',
  ),
}
