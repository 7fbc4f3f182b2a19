//! java
