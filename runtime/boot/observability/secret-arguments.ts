/** The names of arguments, and of properties of arguments, that are `@secret`: no log and no span shows their values. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { AppBundle } from '../../contract/bundle.ts'

export function secretArguments({ codecs }: Pick<AppBundle, 'codecs'>): readonly string[] {
  const names = new Set<string>()
  const seen = new Set<AnswerType>()
  for (const { params, filters, handlers } of Object.values(codecs))
    for (const { name, codec } of [params, ...filters, ...handlers].flat()) {
      if (codec.isSecret === true) names.add(name)
      if (codec.answer !== undefined) addSecrets(codec.answer, names, seen)
    }
  return [...names]
}

/** What is reached by several ways is looked at once. */
function addSecrets(type: AnswerType, names: Set<string>, seen: Set<AnswerType>): void {
  const left = [type]
  for (let found = left.pop(); found !== undefined; found = left.pop()) {
    if (seen.has(found)) continue
    seen.add(found)
    left.push(...partsOf(found))
    if (found.kind === 'object')
      for (const [name, { isSecret }] of found.properties) if (isSecret) names.add(name)
  }
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
      const others = type.others?.('') ?? null
      const inside = [...type.properties.values()].map((property) => property.type)
      return others === null ? inside : [...inside, others]
    }
  }
}
