import '../app.css'
import './editor.css'
import { mount } from 'svelte'
import EditorPage from './EditorPage.svelte'

mount(EditorPage, { target: document.getElementById('app')! })
