export { Fork } from './fork.ts'
export { ForkSource } from './source.ts'
export { subjectsOf, subjectsOfCall } from './subjects.ts'
