import { languageOf } from '../../kernel/base/languages/languages.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { SERVER_FACE, sayIn, sayToAnybody } from '../server-face/port.ts'
import { languageRoutes } from './language-routes.ts'
import { LANGUAGES_OF_POSTS, SAY_TO_ACCOUNTS } from './port.ts'
import { postLanguages } from './post-languages.ts'
import { accountLanguageRows } from './tables/account-languages.ts'

export function serve({ logger: log, find, of, offer }: Server<unknown>): Module | undefined {
  const faces = of(SERVER_FACE)
  offer(SAY_TO_ACCOUNTS, async (reader, fids) => {
    const rows = await reader.of(accountLanguageRows).ofFids(fids)
    const codes = new Map(rows.map(({ fid, language }) => [fid, language]))
    const words = await faces.wordsIn(reader)
    return (fid) => {
      const language = languageOf(codes.get(fid))
      return language ? sayIn(language, words) : sayToAnybody(words)
    }
  })
  offer(LANGUAGES_OF_POSTS, postLanguages({ log }))
  const app = find(APP_API)
  const ofServer = async () => sayToAnybody(await faces.read()).language
  return app && { name: 'languages', routes: { app: languageRoutes({ ...app, ofServer }) } }
}
