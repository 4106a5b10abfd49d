/** Which changes of access an instance tells the others, and what it does of theirs. */
import t from 'tap'
import { joinedBus, shareChanges } from '../../runtime/boot/sharing/shared-changes.ts'
import type { Bus, BusMessage } from '../../runtime/contract/bus.ts'
import type { Store } from '../../runtime/store/store.ts'
import { time } from '../mcp/support/support.ts'

type Listener = (message: unknown) => void

/** Instances in one process: each hears what the others publish. */
function instances(count: number) {
  const { every, running, advance } = time()
  const members = Array.from({ length: count }, () => ({
    topics: new Map<string, Listener[]>(),
    gaps: [] as (() => void)[],
    done: [] as unknown[],
  }))
  const made = members.map((own) => {
    const bus: Bus = {
      publish(topic: string, message: BusMessage) {
        for (const other of members.filter((member) => member !== own))
          for (const listener of other.topics.get(topic) ?? []) listener(JSON.parse(JSON.stringify(message)))
      },
      subscribe: (topic, listener) =>
        void own.topics.set(topic, [...(own.topics.get(topic) ?? []), listener]),
      onGap: (listener) => void own.gaps.push(listener),
      close: async () => true,
    }
    const did =
      (what: string) =>
      (...provided: readonly unknown[]): void =>
        void own.done.push([what, ...provided])
    const streams = {
      toolsChanged: did('list changed'),
      listsChanged: did('lists changed'),
      anythingChanged: did('anything changed'),
      resourceChanged: did('resource changed'),
      close: did('closed'),
      count: () => 0,
    }
    const resourceUri = (uri: string): string => {
      if (!uri.startsWith('notes://')) throw new RangeError(`no resource has the address ${uri}`)
      return uri
    }
    const changes = shareChanges(bus, { every, resourceUri })
    changes.listen({ userRevoked: did('http') })
    changes.listen({ userRevoked: did('mcp'), accessChanged: did('granted'), streams })
    return changes
  })
  return { members, made, running, advance }
}

const granted = { userId: 'ada', clientId: 'c', scopes: ['api', 'notes:read'] }

t.test('a revocation is one for the rooms of every instance', async (t) => {
  const { members, made } = instances(3)
  made[1]?.revoked('ada')
  const rooms = [
    ['http', 'ada'],
    ['mcp', 'ada'],
  ]
  t.strictSame(
    members.map(({ done }) => done),
    [rooms, rooms, rooms],
  )
})

t.test('more permission, and a changed list, reach the streams of every instance', async (t) => {
  const { members, made } = instances(2)
  made[0]?.granted(granted)
  made[0]?.toolsChanged()
  t.strictSame(
    members.map(({ done }) => done),
    [[['granted', granted]], [['granted', granted], ['list changed']]],
    'its own clients have been told of the list already',
  )
})

t.test('after a gap anything may have changed', async (t) => {
  const { members } = instances(1)
  for (const gap of members[0]?.gaps ?? []) gap()
  t.strictSame(members[0]?.done, [['http', null], ['mcp', null], ['anything changed']])
})

t.test(
  'resourceChanged: the first of many is told at once everywhere, the others once a second, the last before the end',
  async (t) => {
    const { members, made, running, advance } = instances(2)
    const [own, other] = made
    const reported = (): readonly unknown[] =>
      members.map(({ done }) => done.splice(0).map((value) => Object(value)[1]))
    own?.resourceChanged('notes://1')
    t.strictSame(reported(), [['notes://1'], ['notes://1']])
    for (let n = 0; n < 1000; n += 1) own?.resourceChanged(`notes://${n % 2}`)
    t.strictSame(reported(), [['notes://0'], ['notes://0']])
    other?.resourceChanged('notes://1')
    t.strictSame(reported(), [['notes://1'], ['notes://1']], 'each instance tells of its own')
    await advance(1)
    const both = ['notes://1', 'notes://0']
    t.strictSame(reported(), [both, both])
    own?.resourceChanged('notes://1')
    t.strictSame(reported(), [[], []], 'it comes too soon')
    await advance(1)
    t.strictSame(reported(), [['notes://1'], ['notes://1']])
    await advance(1)
    t.strictSame([reported(), running.size], [[[], []], 0], 'and nothing ticks for nothing')
    own?.resourceChanged('notes://1')
    own?.resourceChanged('notes://1')
    t.strictSame(reported(), [['notes://1'], ['notes://1']])
    t.equal(await own?.close(), true)
    own?.resourceChanged('notes://2')
    t.strictSame(
      [reported(), running.size],
      [
        [
          ['notes://1', 'notes://2'],
          ['notes://1', 'notes://2'],
        ],
        0,
      ],
    )
    t.throws(() => own?.resourceChanged('trips://1'), new RangeError('no resource has the address trips://1'))
  },
)

t.test('resourceChanged: of more addresses than can be kept each is told', async (t) => {
  const { members, made } = instances(1)
  for (let n = 0; n < 10_002; n += 1) made[0]?.resourceChanged(`notes://${n}`)
  made[0]?.resourceChanged('notes://10001')
  made[0]?.resourceChanged('notes://1')
  t.strictSame(members[0]?.done.length, 10_003)
})

t.test('what is no message of ours is left', async (t) => {
  const { members } = instances(1)
  const hear = (topic: string, message: unknown): void => {
    for (const listener of members[0]?.topics.get(topic) ?? []) listener(message)
  }
  for (const message of [null, 1, {}, { userId: 'ada' }, { ...granted, scopes: [1] }, []]) {
    hear('revoked', message)
    hear('granted', message)
    if (typeof message !== 'string') hear('resource', message)
  }
  t.strictSame(members[0]?.done, [])
})

t.test(
  'on a file other processes are told of changes of access, and of nothing that the application says',
  async (t) => {
    const published: string[] = []
    const bus: Bus = {
      publish: (topic) => void published.push(topic),
      subscribe: () => {},
      onGap: () => {},
      close: async () => true,
    }
    const told = async (isShared: boolean): Promise<readonly string[]> => {
      const store: Pick<Store, 'isShared' | 'joinBus'> = { isShared, joinBus: async () => bus }
      const joined = await joinedBus(store, { every: () => async () => {}, secrets: [] })
      const topics = ['revoked', 'granted', 'tools', 'application', 'resource']
      for (const topic of topics) joined.publish(topic, null)
      return published.splice(0)
    }
    t.strictSame(await told(false), ['revoked', 'granted', 'tools'])
    t.strictSame(await told(true), ['revoked', 'granted', 'tools', 'application', 'resource'])
  },
)
