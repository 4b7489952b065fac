// Checks the OpenAPI document of every interface.
import { readDocuments } from './documents.ts'
import { lintOpenapi } from './openapi-lint.ts'

let count = 0
for (const [name, document] of Object.entries(await readDocuments())) {
  for (const fault of lintOpenapi(document)) {
    console.error(`openapi of ${name}: ${fault}`)
    count += 1
  }
}
process.exitCode = count === 0 ? 0 : 1
