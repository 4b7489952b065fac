export { isNotMirrored, scopeOf } from './missing.ts'
/** Names that are known by the word of the source alone. */
export { mirrorNameRows } from './tables/mirror-names.ts'
