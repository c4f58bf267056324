// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of the Rust benchmarks: the twin of report.hpp. One program serves all kernels of a runtime; the
// kernel is in the name under which it is called, bench_<kernel>_<runtime>.
use std::collections::HashMap;
use std::time::{Duration, Instant};

pub struct Report {
    pub kernel: String,
    runtime: &'static str,
    pub workers: usize,
    runs: usize,
    pub quick: bool,
    unit: &'static str,
    samples: Vec<f64>,
    ok: bool,
    note: String,
    born: Instant,
}

// Slow kernels take fewer samples a process.
const ENOUGH: Duration = Duration::from_secs(2);

pub fn die(why: &str) -> ! {
    eprintln!("{}: {}", std::env::args().next().unwrap_or_default(), why);
    std::process::exit(2)
}

fn count(name: &str, text: &str) -> usize {
    match text.parse() {
        Ok(value) if (1..=1024).contains(&value) => value,
        _ => die(&format!("{name} takes a number from 1 to 1024, not '{text}'")),
    }
}

impl Report {
    pub fn new(runtime: &'static str) -> Report {
        let mut args = std::env::args();
        let program = args.next().unwrap_or_default();
        let base = program.rsplit('/').next().unwrap_or_default();
        let kernel = base
            .strip_prefix("bench_")
            .and_then(|rest| rest.strip_suffix(runtime))
            .and_then(|rest| rest.strip_suffix('_'))
            .unwrap_or_else(|| die("must be called by the name bench_<kernel>_<runtime>"));
        let mut report = Report {
            kernel: kernel.to_string(),
            runtime,
            workers: 1,
            runs: 1,
            quick: false,
            unit: "",
            samples: Vec::new(),
            ok: true,
            note: String::new(),
            born: Instant::now(),
        };
        while let Some(name) = args.next() {
            let value = args.next().unwrap_or_else(|| die(&format!("{name} needs a value")));
            match (name.as_str(), value.as_str()) {
                ("--workers", text) => report.workers = count(&name, text),
                ("--runs", text) => report.runs = count(&name, text),
                ("--scale", "quick") => report.quick = true,
                ("--scale", "full") => report.quick = false,
                _ => die(&format!(
                    "unknown argument {name} {value}; known: --workers N --runs N --scale quick|full"
                )),
            }
        }
        report
    }

    pub fn check<T: PartialEq + std::fmt::Display>(&mut self, what: &str, got: T, expected: T) {
        if got != expected {
            if self.ok {
                self.note(&format!("{what} is {got}, not {expected}"));
            }
            self.ok = false;
        }
    }

    // Adds a remark.
    pub fn note(&mut self, text: &str) {
        if !self.note.is_empty() {
            self.note += "; ";
        }
        self.note += text;
    }

    // Takes the samples: the first always, after one that is not counted, more while there is time.
    pub fn measure(&mut self, unit: &'static str, mut body: impl FnMut(&mut Report) -> f64) {
        self.unit = unit;
        body(self);
        while self.samples.is_empty()
            || (self.samples.len() < self.runs && self.born.elapsed() < ENOUGH)
        {
            let sample = body(self);
            self.samples.push(sample);
        }
    }

    // Prints the line and ends the process.
    pub fn finish(self) -> ! {
        let samples: Vec<String> = self.samples.iter().map(|s| format!("{s}")).collect();
        println!(
            "{{\"kernel\": \"{}\", \"runtime\": \"{}\", \"workers\": {}, \"unit\": \"{}\", \
             \"samples\": [{}], \"ok\": {}, \"note\": \"{}\"}}",
            self.kernel,
            self.runtime,
            self.workers,
            self.unit,
            samples.join(", "),
            self.ok,
            self.note
        );
        std::process::exit(if self.ok && !self.samples.is_empty() { 0 } else { 1 })
    }
}

// The constants of a kernel's config.hpp, which the C++ sources include: sizes are written down once.
pub struct Config(HashMap<String, i64>);

impl Config {
    pub fn parse(header: &str) -> Config {
        let mut values = HashMap::new();
        for line in header.lines() {
            let Some((_, rest)) = line.split_once("constexpr int64_t ") else { continue };
            let Some((name, rest)) = rest.split_once(" = ") else { continue };
            let Some((number, _)) = rest.split_once(';') else { continue };
            if let Ok(value) = number.replace('\'', "").parse() {
                values.insert(name.to_string(), value);
            }
        }
        Config(values)
    }

    pub fn get(&self, name: &str) -> i64 {
        match self.0.get(name) {
            Some(value) => *value,
            None => die(&format!("config.hpp has no {name}")),
        }
    }

    // <name>_quick or <name>_full
    pub fn size(&self, report: &Report, name: &str) -> i64 {
        self.get(&format!("{name}_{}", if report.quick { "quick" } else { "full" }))
    }
}

pub fn ns(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}
