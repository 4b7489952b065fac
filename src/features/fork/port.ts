export { Fork } from './fork.ts'
export { ForkSource } from './source.ts'
export { subjectsOf } from './subjects.ts'
