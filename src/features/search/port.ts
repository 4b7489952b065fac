export { createSearch } from './search.ts'
export { castSearch, userSearch } from './search-routes.ts'
