import { part } from "./pattern.ts";

/**
 * Names of programs, services, programming languages, departments and plans, as parts of a pattern. The list cannot be
 * complete: it has what people move to most often. A name that is missing is taken for a place (docs/API.md, "Capture").
 */
export const PROGRAMS = part`
  Linux Windows Mac macOS Ubuntu Debian Fedora Arch Mint Red_?Hat CentOS NixOS Nix FreeBSD Android iOS iPhone
  iPad Pixel Samsung Apple Microsoft Google Amazon AWS Azure GCP Cloudflare Vercel Netlify Heroku DigitalOcean
  Hetzner Postgres\w* MySQL MariaDB SQLite SQL MongoDB Mongo Redis Valkey Kafka RabbitMQ NATS Elastic\w*
  ClickHouse DuckDB Snowflake BigQuery Supabase Firebase Docker Podman Kubernetes K8s Helm Terraform Ansible
  Jenkins GitHub GitLab Bitbucket Git Mercurial Vim Neovim Emacs VS_?Code Visual_Studio IntelliJ PyCharm
  WebStorm JetBrains Cursor Zed Sublime Helix Xcode TypeScript JavaScript Python Rust Go Golang Java Kotlin
  Swift Ruby Rails PHP Laravel Perl Scala Elixir Haskell C# C\+\+ Zig Node Deno Bun React Vue Svelte Angular
  Next Nuxt Astro Django Flask FastAPI Spring Tailwind Slack Teams Discord Zoom Signal WhatsApp Telegram
  Threads Bluesky Mastodon Twitter Facebook Instagram LinkedIn Reddit TikTok YouTube Gmail Outlook Proton\w*
  Fastmail Thunderbird Notion Obsidian Evernote Roam Logseq Todoist Trello Asana Jira Linear Confluence Figma
  Sketch Canva Chrome Firefox Safari Brave Arc Edge Vivaldi Spotify Tidal Netflix Kindle Excel Word Sheets
  Office Dropbox iCloud OneDrive Nextcloud Stripe PayPal Shopify Claude ChatGPT GPT\S* Gemini Llama Ollama
  OpenAI Anthropic Copilot Bash Zsh Fish npm pnpm Yarn Plan Sales Marketing Engineering Support Finance HR
  Management Legal Design Product QA DevOps Level Grade Tier Premium Pro Enterprise Dvorak Colemak Monday
  vegan\w*`
  .trim()
  .replace(/\s+/gu, "|")
  .replaceAll("_", " ");
