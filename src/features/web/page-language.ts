import { LANGUAGES, type Language } from '../../kernel/base/languages/languages.ts'
import type { StaticFile } from '../../kernel/http/files/static-files.ts'

// A page in a language: `lang`, `dir`, and the script of its texts, which runs before the client.

type Translated = { readonly language: Language; readonly script: string | undefined }

/** English, which the client has in it, and those of which the build has made a script. */
export function readLanguages(files: ReadonlyMap<string, StaticFile>): Translated[] {
  const file = files.get('catalogues.json')
  const scripts: Record<string, string> = file ? JSON.parse(Buffer.from(file.bytes).toString()) : {}
  return [
    ...LANGUAGES,
    // For tests: scripts/messages.ts.
    { code: 'en-XA', name: 'Pseudo', dir: 'ltr' } as const,
  ].flatMap((language) => {
    const script = scripts[language.code]
    return script !== undefined || language.code === 'en' ? [{ language, script }] : []
  })
}

export const withLanguage = (
  html: string,
  { code, dir }: Language,
  script: string | undefined,
): string =>
  html
    .replace('<html lang="en">', `<html lang="${code}" dir="${dir}">`)
    // Deferred scripts and modules run in the order of the page.
    .replace('<script type="module"', (module) =>
      script ? `<script src="/${script}" defer></script>\n    ${module}` : module,
    )
