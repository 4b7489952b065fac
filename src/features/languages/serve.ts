import { ENGLISH, languageOf } from '../../kernel/base/languages/languages.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { languageRoutes } from './language-routes.ts'
import { LANGUAGES_OF_ACCOUNTS } from './port.ts'
import { accountLanguageRows } from './tables/account-languages.ts'

export function serve({ find, offer }: Server<unknown>): Module | undefined {
  const ofServer = async () => languageOf((await find(SERVER_FACE)?.read())?.language) ?? ENGLISH
  offer(
    LANGUAGES_OF_ACCOUNTS,
    async ({ of }, fid) =>
      languageOf((await of(accountLanguageRows).find(fid))?.language) ?? (await ofServer()),
  )
  const app = find(APP_API)
  return app && { name: 'languages', routes: { app: languageRoutes({ ...app, ofServer }) } }
}
