/** Brands of the application's own: a primitive with a property that no value really has. */
import { ts } from '../program/typescript.ts'

/** Whether a part of an intersection is a primitive: `object` and type parameters are none. */
export const isPrimitive = ({ flags }: ts.Type): boolean =>
  !(flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive | ts.TypeFlags.TypeParameter))

/** Whether `type` is a primitive that a plain value of it cannot be assigned to. */
export function isRequiredBrand(type: ts.Type): boolean {
  if (!type.isIntersection()) return false
  const objects = type.types.filter((part) => part.flags & ts.TypeFlags.Object)
  const isRequired = (property: ts.Symbol): boolean => !(property.flags & ts.SymbolFlags.Optional)
  return type.types.some(isPrimitive) && objects.some((part) => part.getProperties().some(isRequired))
}
