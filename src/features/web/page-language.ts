import { LANGUAGES, type Language } from '../../kernel/base/languages/languages.ts'
import type { StaticFile } from '../../kernel/http/files/static-files.ts'

// A page in a language: `lang`, `dir`, and the script of its texts, which runs before the client.

/** Scripts with the texts: of what a page shows first, and of what it loads later. */
type Scripts = { readonly first: string; readonly later: string }
type Translated = { readonly language: Language; readonly scripts: Scripts | undefined }

/** English, which the client has in it, and those of which the build has made a script. */
export function readLanguages(files: ReadonlyMap<string, StaticFile>): Translated[] {
  const file = files.get('catalogues.json')
  const all: Record<string, Scripts> = file ? JSON.parse(Buffer.from(file.bytes).toString()) : {}
  return [
    ...LANGUAGES,
    // For tests: scripts/messages.ts.
    { code: 'en-XA', name: 'Pseudo', dir: 'ltr' } as const,
  ].flatMap((language) => {
    const scripts = all[language.code]
    return scripts !== undefined || language.code === 'en' ? [{ language, scripts }] : []
  })
}

export const withLanguage = (
  html: string,
  { code, dir }: Language,
  scripts: Scripts | undefined,
): string =>
  html
    // The face of the server has its own attributes there.
    .replace(/^(<!doctype html>\s*<html[^>]*) lang="en"/, `$1 lang="${code}" dir="${dir}"`)
    // Deferred scripts and modules run in the order of the page.
    .replace('<script type="module"', (module) =>
      scripts
        ? `<meta name="rookery-texts" content="/${scripts.later}">\n    <script src="/${scripts.first}" defer></script>\n    ${module}`
        : module,
    )
