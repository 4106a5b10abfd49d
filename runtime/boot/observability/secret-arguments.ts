/** The names of arguments, and of properties of arguments, that are `@secret`: no log and no span shows their values. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { AppBundle } from '../../contract/bundle.ts'

export function secretArguments({ codecs }: Pick<AppBundle, 'codecs'>): readonly string[] {
  const names = new Set<string>()
  const known = new Map<AnswerType, readonly string[]>()
  for (const { params, filters, handlers } of Object.values(codecs))
    for (const { name, from, codec } of [params, ...filters, ...handlers].flat()) {
      const inside = codec.answer === undefined ? [] : secretsIn(codec.answer, known)
      for (const secret of inside) names.add(secret)
      // in a query an object is a text of JSON, of which a log shows all or nothing
      // the address calls the rest of a path so, whatever the route does
      if (codec.isSecret === true && from === 'rest') names.add('*')
      if (codec.isSecret === true || (from === 'query' && inside.length > 0)) names.add(name)
    }
  return [...names]
}

/** What many arguments are of is looked at once, and so is what is reached by several ways. */
function secretsIn(type: AnswerType, known: Map<AnswerType, readonly string[]>): readonly string[] {
  const start = type.kind === 'ref' ? type.type() : type
  const before = known.get(start)
  if (before !== undefined) return before
  const reached = new Set([start])
  for (const found of reached) for (const part of partsOf(found)) reached.add(part) // grows as it is walked
  const secrets = [...reached].flatMap((found) =>
    found.kind === 'object'
      ? [...found.properties].flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))
      : [],
  )
  known.set(start, secrets)
  return secrets
}

function partsOf(type: AnswerType): readonly AnswerType[] {
  switch (type.kind) {
    case 'whole':
    case 'scalar':
      return []
    case 'ref':
      return [type.type()]
    case 'list':
      return type.items === null ? type.places : [...type.places, type.items]
    case 'union':
      return type.members
    case 'object': {
      const others = type.others?.(null) ?? null
      const inside = [...type.properties.values()].map((property) => property.type)
      return others === null ? inside : [...inside, others]
    }
  }
}
