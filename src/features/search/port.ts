export { newestCarrying } from './newest-carrying.ts'
export { createSearch } from './search.ts'
export { hasOperators } from './search-query.ts'
export { castSearch, userSearch } from './search-routes.ts'
