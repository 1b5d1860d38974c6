import { h, render } from 'preact'
import { showAppearance } from './core/appearance.ts'
import { showDensity } from './core/density.ts'
import { speakChosen } from './core/language.ts'
import { App } from './shell/app.ts'

showAppearance()
showDensity()
await speakChosen()
const place = document.getElementById('console')
if (place) render(h(App, null), place)
