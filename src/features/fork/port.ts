export { Fork } from './fork.ts'
export { ForkSource, SourceError } from './source.ts'
export { subjectsOf, subjectsOfCall } from './subjects.ts'
