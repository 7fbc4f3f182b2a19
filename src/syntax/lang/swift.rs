//! swift
