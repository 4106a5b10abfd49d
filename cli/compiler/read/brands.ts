/** Brands of the application's own: a primitive with a property that no value really has. */
import { ts } from './typescript.ts'

/** Whether `type` is a primitive that a plain value of it cannot be assigned to. */
export function isRequiredBrand(type: ts.Type): boolean {
  if (!type.isIntersection()) return false
  const objects = type.types.filter((part) => part.flags & ts.TypeFlags.Object)
  const isRequired = (property: ts.Symbol): boolean => !(property.flags & ts.SymbolFlags.Optional)
  const hasPrimitive = type.types.some(
    (part) => !(part.flags & (ts.TypeFlags.Object | ts.TypeFlags.TypeParameter)),
  )
  return hasPrimitive && objects.some((part) => part.getProperties().some(isRequired))
}
