export { type PersonFacts, peopleRows } from './tables/people.ts'
