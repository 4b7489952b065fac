import { port } from '../../kernel/ports.ts'

/** Accounts whose username begins with a text, or whose names have its words, those with most followers first. */
export type FindPeople = (text: string, limit: number) => Promise<number[]>
/** Offered where there are views. */
export const FIND_PEOPLE = port<FindPeople>('people by their names')

export { newestCarrying } from './newest-carrying.ts'
export { createSearch } from './search.ts'
export { hasOperators } from './search-query.ts'
export { castSearch, userSearch } from './search-routes.ts'
