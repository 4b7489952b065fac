import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { SIGN_IN } from '../sign-in/port.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { signerRoutes } from './signer-routes.ts'

export function serve({ find }: Server<unknown>): Module | undefined {
  const [app, signIn] = [find(APP_API), find(SIGN_IN)?.ofApps]
  return (
    app && {
      name: 'signers',
      routes: { app: [...signerRoutes(app), ...(signIn ? signInRoutes({ ...app, signIn }) : [])] },
    }
  )
}
